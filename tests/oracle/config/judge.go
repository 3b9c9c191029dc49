package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"

	"oracle/upstream"
)

// problem is one error.
type problem struct {
	// Paths are the fields that it names. Those of a value of the wrong type have no indices of lists.
	Paths   []string `json:"paths,omitempty"`
	Message string   `json:"m"`
}

// judge does what kube-scheduler does with its file before it runs.
func judge(text string) (made line) {
	made = line{Configuration: text, Stage: "load"}
	defer func() {
		if r := recover(); r != nil {
			made.Errors = []problem{{Message: fmt.Sprint("PANIC ", r)}}
		}
	}()
	loaded, err := load([]byte(text))
	if err != nil {
		made.Errors = []problem{{decodingPaths(err.Error()), err.Error()}}
		return made
	}
	made.Stage = "validate"
	if err := validation.ValidateKubeSchedulerConfiguration(loaded); err != nil {
		made.Errors = flat(err)
		return made
	}
	made.Stage = "new"
	if err := start(loaded); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			made.Stage = "files"
		}
		made.Errors = flat(err)
		return made
	}
	made.Stage = ""
	return made
}

// load decodes, defaults and converts a file with the scheduler's own codecs, as its options do.
func load(data []byte) (*config.KubeSchedulerConfiguration, error) {
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	loaded, ok := object.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("couldn't decode as KubeSchedulerConfiguration, got %s: ", kind)
	}
	loaded.TypeMeta.APIVersion = kind.GroupVersion().String()
	return loaded, nil
}

// start makes the client and the scheduler of a configuration.
func start(loaded *config.KubeSchedulerConfiguration) error {
	connection := loaded.ClientConnection
	client, err := clientset.NewForConfig(&restclient.Config{
		Host: "http://127.0.0.1:1",
		ContentConfig: restclient.ContentConfig{
			AcceptContentTypes: connection.AcceptContentTypes,
			ContentType:        connection.ContentType,
		},
		QPS:   connection.QPS,
		Burst: int(connection.Burst),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(upstream.Silent(context.Background()))
	defer cancel()
	_, err = scheduler.New(ctx, client, informers.NewSharedInformerFactory(client, 0), nil, upstream.NoEvents,
		scheduler.WithComponentConfigVersion(loaded.TypeMeta.APIVersion),
		scheduler.WithProfiles(loaded.Profiles...),
		scheduler.WithPercentageOfNodesToScore(loaded.PercentageOfNodesToScore),
		scheduler.WithFrameworkOutOfTreeRegistry(strangers(loaded)),
		scheduler.WithPodMaxBackoffSeconds(loaded.PodMaxBackoffSeconds),
		scheduler.WithPodInitialBackoffSeconds(loaded.PodInitialBackoffSeconds),
		scheduler.WithExtenders(loaded.Extenders...),
		scheduler.WithParallelism(loaded.Parallelism),
	)
	return err
}

// flat lists what an error holds.
func flat(err error) []problem {
	var all utilerrors.Aggregate
	if errors.As(err, &all) {
		var problems []problem
		for _, each := range all.Errors() {
			problems = append(problems, flat(each)...)
		}
		return problems
	}
	made := problem{Message: err.Error()}
	var inField *field.Error
	if errors.As(err, &inField) {
		made.Paths = []string{inField.Field}
	}
	return []problem{made}
}

var (
	// Where arguments of a plugin are decoded, for each of them.
	inArgs = regexp.MustCompile(`decoding \.(profiles\[\d+\]\.pluginConfig\[\d+\]): `)
	// A field that does not exist, or stands there twice.
	strange = regexp.MustCompile(`(?:unknown|duplicate) field "([^"]*)"`)
	// A value of another type: the struct in which it stands, then its path.
	ofType = regexp.MustCompile(`cannot unmarshal .* into Go struct field [^. ]*\.(\S*) of type`)
)

// withoutTypes is a path without the structs that are embedded, which stand in it by the names of their types.
func withoutTypes(path string) string {
	var steps []string
	for _, step := range strings.Split(path, ".") {
		if step != "DebuggingConfiguration" && step != "TypeMeta" {
			steps = append(steps, step)
		}
	}
	return strings.Join(steps, ".")
}

// decodingPaths are the fields that an error of the decoder names.
func decodingPaths(message string) []string {
	var paths []string
	starts := inArgs.FindAllStringSubmatchIndex(message, -1)
	add := func(text, prefix string) {
		found := strange.FindAllStringSubmatch(text, -1)
		found = append(found, ofType.FindAllStringSubmatch(text, -1)...)
		for _, path := range found {
			paths = append(paths, prefix+withoutTypes(path[1]))
		}
		if len(found) == 0 && prefix != "" {
			paths = append(paths, strings.TrimSuffix(prefix, "."))
		}
	}
	end := len(message)
	if len(starts) > 0 {
		end = starts[0][0]
	}
	add(message[:end], "")
	for i, at := range starts {
		end := len(message)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		add(message[at[1]:end], message[at[2]:at[3]]+".args.")
	}
	return paths
}
