//go:build !k37

package admit

import (
	"encoding/json"
	"errors"
)

// Object is there for the newest release only.
func Object(json.RawMessage) (json.RawMessage, error) {
	return nil, errors.New("only the newest release admits objects")
}
