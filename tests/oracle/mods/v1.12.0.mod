module oracle

go 1.23

require (
	k8s.io/api v0.0.0-00010101000000-000000000000
	k8s.io/apimachinery v0.0.0-00010101000000-000000000000
	k8s.io/client-go v0.0.0-00010101000000-000000000000
	k8s.io/kubernetes v1.12.0
	sigs.k8s.io/json v0.0.0-20260909141634-11ed52e25bc5
)

require (
	github.com/beorn7/perks v0.0.0-00010101000000-000000000000 // indirect
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/docker/distribution v0.0.0-00010101000000-000000000000 // indirect
	github.com/ghodss/yaml v0.0.0-00010101000000-000000000000 // indirect
	github.com/gogo/protobuf v0.0.0-00010101000000-000000000000 // indirect
	github.com/golang/glog v0.0.0-00010101000000-000000000000 // indirect
	github.com/golang/groupcache v0.0.0-00010101000000-000000000000 // indirect
	github.com/golang/protobuf v0.0.0-00010101000000-000000000000 // indirect
	github.com/google/btree v0.0.0-00010101000000-000000000000 // indirect
	github.com/google/gofuzz v1.0.0 // indirect
	github.com/googleapis/gnostic v0.0.0-00010101000000-000000000000 // indirect
	github.com/gregjones/httpcache v0.0.0-00010101000000-000000000000 // indirect
	github.com/hashicorp/golang-lru v0.0.0-00010101000000-000000000000 // indirect
	github.com/json-iterator/go v0.0.0-00010101000000-000000000000 // indirect
	github.com/matttproud/golang_protobuf_extensions v0.0.0-00010101000000-000000000000 // indirect
	github.com/modern-go/concurrent v0.0.0-20180228061459-e0a39a4cb421 // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	github.com/opencontainers/go-digest v0.0.0-00010101000000-000000000000 // indirect
	github.com/peterbourgon/diskv v0.0.0-00010101000000-000000000000 // indirect
	github.com/prometheus/client_golang v0.0.0-00010101000000-000000000000 // indirect
	github.com/prometheus/client_model v0.0.0-00010101000000-000000000000 // indirect
	github.com/prometheus/common v0.0.0-00010101000000-000000000000 // indirect
	github.com/prometheus/procfs v0.0.0-00010101000000-000000000000 // indirect
	github.com/spf13/pflag v0.0.0-00010101000000-000000000000 // indirect
	golang.org/x/crypto v0.0.0-00010101000000-000000000000 // indirect
	golang.org/x/net v0.0.0-00010101000000-000000000000 // indirect
	golang.org/x/oauth2 v0.0.0-00010101000000-000000000000 // indirect
	golang.org/x/sys v0.0.0-00010101000000-000000000000 // indirect
	golang.org/x/text v0.0.0-00010101000000-000000000000 // indirect
	golang.org/x/time v0.0.0-00010101000000-000000000000 // indirect
	gopkg.in/inf.v0 v0.0.0-00010101000000-000000000000 // indirect
	gopkg.in/square/go-jose.v2 v2.0.0-00010101000000-000000000000 // indirect
	gopkg.in/yaml.v2 v2.0.0-00010101000000-000000000000 // indirect
	k8s.io/apiextensions-apiserver v0.0.0-00010101000000-000000000000 // indirect
	k8s.io/apiserver v0.0.0-00010101000000-000000000000 // indirect
	k8s.io/csi-api v0.0.0-00010101000000-000000000000 // indirect
	k8s.io/kube-openapi v0.0.0-00010101000000-000000000000 // indirect
	k8s.io/utils v0.0.0-00010101000000-000000000000 // indirect
)

replace (
	cloud.google.com/go => cloud.google.com/go v0.1.1-0.20160913182117-3b1ae45394a2
	github.com/Azure/go-ansiterm => github.com/Azure/go-ansiterm v0.0.0-20170929234023-d6e3b3328b78
	github.com/Azure/go-autorest => github.com/Azure/go-autorest v10.14.0+incompatible
	github.com/GeertJohan/go.rice => github.com/GeertJohan/go.rice v0.0.0-20170420135705-c02ca9a983da
	github.com/MakeNowJust/heredoc => github.com/MakeNowJust/heredoc v0.0.0-20170808103936-bb23615498cd
	github.com/Microsoft/go-winio => github.com/Microsoft/go-winio v0.4.5
	github.com/NYTimes/gziphandler => github.com/NYTimes/gziphandler v0.0.0-20170623195520-56545f4a5d46
	github.com/Nvveen/Gotty => github.com/Nvveen/Gotty v0.0.0-20120604004816-cd527374f1e5
	github.com/PuerkitoBio/purell => github.com/PuerkitoBio/purell v1.0.0
	github.com/PuerkitoBio/urlesc => github.com/PuerkitoBio/urlesc v0.0.0-20160726150825-5bd2802263f2
	github.com/armon/circbuf => github.com/armon/circbuf v0.0.0-20150827004946-bbbad097214e
	github.com/asaskevich/govalidator => github.com/asaskevich/govalidator v0.0.0-20160715170612-593d64559f76
	github.com/beorn7/perks => github.com/beorn7/perks v0.0.0-20160229213445-3ac7bf7a47d1
	github.com/blang/semver => github.com/blang/semver v3.5.0+incompatible
	github.com/chai2010/gettext-go => github.com/chai2010/gettext-go v0.0.0-20160711120539-c6fed771bfd5
	github.com/client9/misspell => github.com/client9/misspell v0.3.1-0.20170928000206-9ce5d979ffda
	github.com/clusterhq/flocker-go => github.com/clusterhq/flocker-go v0.0.0-20160920122132-2b8b7259d313
	github.com/cockroachdb/cmux => github.com/cockroachdb/cmux v0.0.0-20160228191917-112f0506e774
	github.com/containerd/console => github.com/containerd/console v0.0.0-20170925154832-84eeaae905fa
	github.com/containernetworking/cni => github.com/containernetworking/cni v0.6.0
	github.com/coreos/bbolt => github.com/coreos/bbolt v1.3.1-coreos.6
	github.com/coreos/etcd => github.com/coreos/etcd v3.2.24+incompatible
	github.com/coreos/go-oidc => github.com/coreos/go-oidc v0.0.0-20180117170138-065b426bd416
	github.com/coreos/go-semver => github.com/coreos/go-semver v0.0.0-20150304020126-568e959cd898
	github.com/coreos/go-systemd => github.com/coreos/go-systemd v0.0.0-20161114122254-48702e0da86b
	github.com/coreos/pkg => github.com/coreos/pkg v0.0.0-20160620232715-fa29b1d70f0b
	github.com/cpuguy83/go-md2man => github.com/cpuguy83/go-md2man v1.0.4
	github.com/cyphar/filepath-securejoin => github.com/cyphar/filepath-securejoin v0.2.2-0.20170720062807-ae69057f2299
	github.com/daaku/go.zipexe => github.com/daaku/go.zipexe v0.0.0-20150329023125-a5fe2436ffcb
	github.com/davecgh/go-spew => github.com/davecgh/go-spew v1.1.1-0.20170626231645-782f4967f2dc
	github.com/daviddengcn/go-colortext => github.com/daviddengcn/go-colortext v0.0.0-20160507010035-511bcaf42ccd
	github.com/dgrijalva/jwt-go => github.com/dgrijalva/jwt-go v3.0.1-0.20160705203006-01aeca54ebda+incompatible
	github.com/docker/distribution => github.com/docker/distribution v2.6.0-rc.1.0.20170726174610-edc3ab29cdff+incompatible
	github.com/docker/docker => github.com/docker/docker v17.12.0-ce-rc1.0.20180612054059-a9fbbdc8dd87+incompatible
	github.com/docker/go-connections => github.com/docker/go-connections v0.3.0
	github.com/docker/go-units => github.com/docker/go-units v0.3.2-0.20170127094116-9e638d38cf69
	github.com/docker/spdystream => github.com/docker/spdystream v0.0.0-20160310174837-449fdfce4d96
	github.com/elazarl/go-bindata-assetfs => github.com/elazarl/go-bindata-assetfs v0.0.0-20150624150248-3dcc96556217
	github.com/elazarl/goproxy => github.com/elazarl/goproxy v0.0.0-20170405201442-c4fc26588b6e
	github.com/emicklei/go-restful => github.com/emicklei/go-restful v1.1.4-0.20170410110728-ff4f55a20633
	github.com/emicklei/go-restful-swagger12 => github.com/emicklei/go-restful-swagger12 v0.0.0-20170208215640-dcef7f557305
	github.com/evanphx/json-patch => github.com/evanphx/json-patch v4.0.1-0.20180908160633-36442dbdb585+incompatible
	github.com/exponent-io/jsonpath => github.com/exponent-io/jsonpath v0.0.0-20151013193312-d6023ce2651d
	github.com/fatih/camelcase => github.com/fatih/camelcase v0.0.0-20160318181535-f6a740d52f96
	github.com/fsnotify/fsnotify => github.com/fsnotify/fsnotify v1.3.2-0.20160816051541-f12c6236fe7b
	github.com/ghodss/yaml => github.com/ghodss/yaml v0.0.0-20150909031657-73d445a93680
	github.com/go-ini/ini => github.com/go-ini/ini v1.25.4
	github.com/go-openapi/analysis => github.com/go-openapi/analysis v0.0.0-20160815203709-b44dc874b601
	github.com/go-openapi/errors => github.com/go-openapi/errors v0.0.0-20160704190347-d24ebc2075ba
	github.com/go-openapi/jsonpointer => github.com/go-openapi/jsonpointer v0.0.0-20160704185906-46af16f9f7b1
	github.com/go-openapi/jsonreference => github.com/go-openapi/jsonreference v0.0.0-20160704190145-13c6e3589ad9
	github.com/go-openapi/loads => github.com/go-openapi/loads v0.0.0-20170520182102-a80dea3052f0
	github.com/go-openapi/runtime => github.com/go-openapi/runtime v0.0.0-20160704190703-11e322eeecc1
	github.com/go-openapi/spec => github.com/go-openapi/spec v0.0.0-20180213232550-1de3e0542de6
	github.com/go-openapi/strfmt => github.com/go-openapi/strfmt v0.0.0-20160812050534-d65c7fdb29ec
	github.com/go-openapi/swag => github.com/go-openapi/swag v0.0.0-20170606142751-f3f9494671f9
	github.com/go-sql-driver/mysql => github.com/go-sql-driver/mysql v1.3.0
	github.com/godbus/dbus => github.com/godbus/dbus v0.0.0-20151105175453-c7fdd8b5cd55
	github.com/gogo/protobuf => github.com/gogo/protobuf v0.0.0-20170330071051-c0656edd0d9e
	github.com/golang/glog => github.com/golang/glog v0.0.0-20141105023935-44145f04b68c
	github.com/golang/groupcache => github.com/golang/groupcache v0.0.0-20160516000752-02826c3e7903
	github.com/golang/mock => github.com/golang/mock v0.0.0-20160127222235-bd3c8e81be01
	github.com/golang/protobuf => github.com/golang/protobuf v1.1.0
	github.com/google/btree => github.com/google/btree v0.0.0-20160524151835-7d79101e329e
	github.com/google/gofuzz => github.com/google/gofuzz v0.0.0-20161122191042-44d81051d367
	github.com/googleapis/gnostic => github.com/googleapis/gnostic v0.0.0-20170729233727-0c5108395e2d
	github.com/gophercloud/gophercloud => github.com/gophercloud/gophercloud v0.0.0-20180330165814-781450b3c4fc
	github.com/gorilla/websocket => github.com/gorilla/websocket v0.0.0-20150714140627-6eb6ad425a89
	github.com/gregjones/httpcache => github.com/gregjones/httpcache v0.0.0-20170728041850-787624de3eb7
	github.com/grpc-ecosystem/go-grpc-prometheus => github.com/grpc-ecosystem/go-grpc-prometheus v0.0.0-20170330212424-2500245aa611
	github.com/grpc-ecosystem/grpc-gateway => github.com/grpc-ecosystem/grpc-gateway v1.3.0
	github.com/hashicorp/golang-lru => github.com/hashicorp/golang-lru v0.0.0-20160207214719-a0d98a5f2880
	github.com/hashicorp/hcl => github.com/hashicorp/hcl v0.0.0-20160711231752-d8c773c4cba1
	github.com/imdario/mergo => github.com/imdario/mergo v0.3.5
	github.com/inconshreveable/mousetrap => github.com/inconshreveable/mousetrap v1.0.0
	github.com/jmespath/go-jmespath => github.com/jmespath/go-jmespath v0.0.0-20160202185014-0b12d6b521d8
	github.com/jmoiron/sqlx => github.com/jmoiron/sqlx v0.0.0-20180124204410-05cef0741ade
	github.com/jonboulle/clockwork => github.com/jonboulle/clockwork v0.0.0-20141017032234-72f9bd7c4e0c
	github.com/json-iterator/go => github.com/json-iterator/go v1.1.12
	github.com/jteeuwen/go-bindata => github.com/jteeuwen/go-bindata v3.0.8-0.20151023091102-a0ff2567cfb7+incompatible
	github.com/kardianos/osext => github.com/kardianos/osext v0.0.0-20150410034420-8fef92e41e22
	github.com/kr/fs => github.com/kr/fs v0.0.0-20131111012553-2788f0dbd169
	github.com/kr/pretty => github.com/kr/pretty v0.0.0-20140812000539-f31442d60e51
	github.com/kr/text => github.com/kr/text v0.0.0-20130911015532-6807e777504f
	github.com/lib/pq => github.com/lib/pq v0.0.0-20180201184707-88edab080323
	github.com/lpabon/godbc => github.com/lpabon/godbc v0.1.2-0.20140613165803-9577782540c1
	github.com/magiconair/properties => github.com/magiconair/properties v1.7.1-0.20160816085511-61b492c03cf4
	github.com/mailru/easyjson => github.com/mailru/easyjson v0.0.0-20170624190925-2f5df55504eb
	github.com/marstr/guid => github.com/marstr/guid v1.1.1-0.20170427235115-8bdf7d1a087c
	github.com/mattn/go-sqlite3 => github.com/mattn/go-sqlite3 v1.6.0
	github.com/matttproud/golang_protobuf_extensions => github.com/matttproud/golang_protobuf_extensions v1.0.1
	github.com/miekg/dns => github.com/miekg/dns v0.0.0-20160614162101-5d001d020961
	github.com/mistifyio/go-zfs => github.com/mistifyio/go-zfs v2.1.2-0.20151009155749-1b4ae6fb4e77+incompatible
	github.com/mitchellh/go-wordwrap => github.com/mitchellh/go-wordwrap v0.0.0-20150314170334-ad45545899c7
	github.com/mitchellh/mapstructure => github.com/mitchellh/mapstructure v0.0.0-20170307201123-53818660ed49
	github.com/modern-go/concurrent => github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd
	github.com/modern-go/reflect2 => github.com/modern-go/reflect2 v1.0.2
	github.com/mrunalp/fileutils => github.com/mrunalp/fileutils v0.0.0-20160930181131-4ee1cc9a8058
	github.com/mvdan/xurls => github.com/mvdan/xurls v0.8.1-0.20160110113200-1b768d7c393a
	github.com/mxk/go-flowrate => github.com/mxk/go-flowrate v0.0.0-20140419014527-cca7078d478f
	github.com/onsi/ginkgo => github.com/onsi/ginkgo v1.2.1-0.20170318221715-67b9df7f55fe
	github.com/onsi/gomega => github.com/onsi/gomega v0.0.0-20160911051023-d59fa0ac68bb
	github.com/opencontainers/go-digest => github.com/opencontainers/go-digest v0.0.0-20170106003457-a6d0ee40d420
	github.com/opencontainers/image-spec => github.com/opencontainers/image-spec v1.0.0-rc6.0.20170604055404-372ad780f634
	github.com/opencontainers/selinux => github.com/opencontainers/selinux v1.0.0-rc1.0.20170621221121-4a2974bf1ee9
	github.com/pborman/uuid => github.com/pborman/uuid v0.0.0-20150603214016-ca53cad383ca
	github.com/pelletier/go-toml => github.com/pelletier/go-toml v1.2.0
	github.com/peterbourgon/diskv => github.com/peterbourgon/diskv v2.0.1+incompatible
	github.com/pkg/errors => github.com/pkg/errors v0.8.0
	github.com/pkg/sftp => github.com/pkg/sftp v0.0.0-20160930220758-4d0e916071f6
	github.com/pmezard/go-difflib => github.com/pmezard/go-difflib v0.0.0-20151028094244-d8ed2627bdf0
	github.com/pquerna/cachecontrol => github.com/pquerna/cachecontrol v0.0.0-20171018203845-0dec1b30a021
	github.com/prometheus/client_golang => github.com/prometheus/client_golang v0.8.1-0.20170531130054-e7e903064f5e
	github.com/prometheus/client_model => github.com/prometheus/client_model v0.0.0-20150212101744-fa8ad6fec335
	github.com/prometheus/common => github.com/prometheus/common v0.0.0-20170427095455-13ba4ddd0caa
	github.com/prometheus/procfs => github.com/prometheus/procfs v0.0.0-20170519190837-65c1f6f8f0fc
	github.com/renstrom/dedent => github.com/renstrom/dedent v1.0.1-0.20150819195903-020d11c3b9c0
	github.com/robfig/cron => github.com/robfig/cron v1.0.1-0.20170309132418-df38d32658d8
	github.com/rubiojr/go-vhd => github.com/rubiojr/go-vhd v0.0.0-20160810183302-0bfd3b39853c
	github.com/russross/blackfriday => github.com/russross/blackfriday v0.0.0-20151117072312-300106c228d5
	github.com/satori/go.uuid => github.com/satori/go.uuid v1.2.0
	github.com/seccomp/libseccomp-golang => github.com/seccomp/libseccomp-golang v0.0.0-20150813023252-1b506fc7c24e
	github.com/shurcooL/sanitized_anchor_name => github.com/shurcooL/sanitized_anchor_name v0.0.0-20151028001915-10ef21a441db
	github.com/sirupsen/logrus => github.com/sirupsen/logrus v1.0.4-0.20170822132746-89742aefa4b2
	github.com/spf13/afero => github.com/spf13/afero v0.0.0-20160816080757-b28a7effac97
	github.com/spf13/cast => github.com/spf13/cast v0.0.0-20160730092037-e31f36ffc91a
	github.com/spf13/cobra => github.com/spf13/cobra v0.0.2-0.20180319062004-c439c4fa0937
	github.com/spf13/jwalterweatherman => github.com/spf13/jwalterweatherman v0.0.0-20160311093646-33c24e77fb80
	github.com/spf13/pflag => github.com/spf13/pflag v1.0.1
	github.com/spf13/viper => github.com/spf13/viper v0.0.0-20160820190039-7fb2782df3d8
	github.com/stretchr/objx => github.com/stretchr/objx v0.0.0-20150928122152-1a9d0bb9f541
	github.com/stretchr/testify => github.com/stretchr/testify v1.2.2-0.20180319223459-c679ae2cc0cb
	github.com/syndtr/gocapability => github.com/syndtr/gocapability v0.0.0-20160928074757-e7cb7fa329f4
	github.com/ugorji/go => github.com/ugorji/go v0.0.0-20170107133203-ded73eae5db7
	github.com/vishvananda/netns => github.com/vishvananda/netns v0.0.0-20171111001504-be1fbeda1936
	github.com/xanzy/go-cloudstack => github.com/xanzy/go-cloudstack v2.1.2-0.20160728180336-1e2cbf647e57+incompatible
	github.com/xiang90/probing => github.com/xiang90/probing v0.0.0-20160813154853-07dd2e8dfe18
	golang.org/x/crypto => golang.org/x/crypto v0.0.0-20180808211826-de0752318171
	golang.org/x/exp => golang.org/x/exp v0.0.0-20160623011055-292a51b8d262
	golang.org/x/net => golang.org/x/net v0.0.0-20170809000501-1c05540f6879
	golang.org/x/oauth2 => golang.org/x/oauth2 v0.0.0-20170412232759-a6bd8cefa181
	golang.org/x/sys => golang.org/x/sys v0.0.0-20171031081856-95c657629925
	golang.org/x/text => golang.org/x/text v0.0.0-20170810154203-b19bf474d317
	golang.org/x/time => golang.org/x/time v0.0.0-20161028155119-f51c12702a4d
	golang.org/x/tools => golang.org/x/tools v0.0.0-20170428054726-2382e3994d48
	google.golang.org/genproto => google.golang.org/genproto v0.0.0-20170731182057-09f6ed296fc6
	google.golang.org/grpc => google.golang.org/grpc v1.7.5
	gopkg.in/gcfg.v1 => gopkg.in/gcfg.v1 v1.2.0
	gopkg.in/inf.v0 => gopkg.in/inf.v0 v0.9.0
	gopkg.in/natefinch/lumberjack.v2 => gopkg.in/natefinch/lumberjack.v2 v2.0.0-20150622162204-20b71e5b60d7
	gopkg.in/square/go-jose.v2 => gopkg.in/square/go-jose.v2 v2.1.7-0.20180411045311-89060dee6a84
	gopkg.in/warnings.v0 => gopkg.in/warnings.v0 v0.1.1
	gopkg.in/yaml.v2 => gopkg.in/yaml.v2 v2.0.0-20170721113624-670d4cfef054
	k8s.io/api => ./staging/api
	k8s.io/apiextensions-apiserver => ./staging/apiextensions-apiserver
	k8s.io/apimachinery => ./staging/apimachinery
	k8s.io/apiserver => ./staging/apiserver
	k8s.io/cli-runtime => ./staging/cli-runtime
	k8s.io/client-go => ./staging/client-go
	k8s.io/code-generator => ./staging/code-generator
	k8s.io/csi-api => ./staging/csi-api
	k8s.io/gengo => k8s.io/gengo v0.0.0-20180702041517-fdcf9f9480fd
	k8s.io/heapster => k8s.io/heapster v1.2.0-beta.1
	k8s.io/kube-aggregator => ./staging/kube-aggregator
	k8s.io/kube-controller-manager => ./staging/kube-controller-manager
	k8s.io/kube-openapi => k8s.io/kube-openapi v0.0.0-20180711000925-0cf8f7e6ed1d
	k8s.io/kube-proxy => ./staging/kube-proxy
	k8s.io/kube-scheduler => ./staging/kube-scheduler
	k8s.io/kubelet => ./staging/kubelet
	k8s.io/metrics => ./staging/metrics
	k8s.io/sample-apiserver => ./staging/sample-apiserver
	k8s.io/sample-cli-plugin => ./staging/sample-cli-plugin
	k8s.io/sample-controller => ./staging/sample-controller
	k8s.io/utils => k8s.io/utils v0.0.0-20180726175726-66066c83e385
)
