//go:build !k37

package admit

import (
	"encoding/json"
	"errors"
)

// Available says whether this program knows what the API server does.
const Available = false

// Object is there for the newest release only.
func Object(json.RawMessage) (json.RawMessage, error) {
	return nil, errors.New("only the newest release admits objects")
}
