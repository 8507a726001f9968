package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"palisade"
)

// Policies shows the policy in effect. Nothing that it returns names a folder of
// the host.
type Policies interface {
	Profiles() []Profile
	// Usual is the profile of a submission that names none: its language's, and
	// the default of all.
	Usual(language palisade.Language) (usual, fallback string)
	// Text is the file that defines a profile; false: there is none.
	Text(profile string) (string, bool)
	// Check says what is wrong with the text of a policy file.
	Check(text string) []Problem
	// Explain says what a profile decides about a thing, and by which line; false:
	// there is no such profile or rule.
	Explain(profile, thing string) (string, bool)
}

// Profile is a profile of policy.
type Profile struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Digest      string `json:"digest"`
	Description string `json:"description"`
	Default     bool   `json:"default"`
}

// Problem is one thing that is wrong with a policy file.
type Problem struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

const policiesPath = "/v1/policies"

type profilesOutput struct {
	Body struct {
		Items []Profile `json:"items"`
	}
}

type profileInput struct {
	Profile string `path:"profile" maxLength:"64"`
}

type profileOutput struct {
	Body struct {
		Profile
		Text string `json:"text" doc:"The file that defines it, YAML."`
	}
}

type validateInput struct {
	Body struct {
		Text string `json:"text" maxLength:"1048576" doc:"A policy file, YAML. Files that it names are not looked at."`
	}
}

type validateOutput struct {
	Body struct {
		Valid    bool      `json:"valid"`
		Problems []Problem `json:"problems"`
	}
}

type explainInput struct {
	Body struct {
		Profile string   `json:"profile,omitempty" maxLength:"64" doc:"Left out: the default one."`
		Things  []string `json:"things" nullable:"false" minItems:"1" maxItems:"50" doc:"Modules, callables, capabilities, paths, peers, rules, sections: see palisade policy explain. An empty one is the whole profile."`
	}
}

// Explained is what policy says about a thing.
type Explained struct {
	Thing string `json:"thing"`
	Text  string `json:"text"`
}

type explainOutput struct {
	Body struct {
		Items []Explained `json:"items"`
	}
}

func (s *Server) policies(api huma.API) {
	op := operation(http.MethodGet, policiesPath, "listPolicies", "List profiles", "All there are; which of them a key may name stands at /v1/me.", "policies")
	op.Errors = []int{401, 429}
	register(s, api, op, nil, func(context.Context, *emptyInput) (*profilesOutput, error) {
		out := &profilesOutput{}
		out.Body.Items = s.c.Policies.Profiles()
		return out, nil
	})

	op = operation(http.MethodGet, policiesPath+"/{profile}", "getPolicy", "Read a profile", "With the text of its file.", "policies")
	op.Errors = []int{401, 404, 429}
	register(s, api, op, nil, s.profile)

	op = operation(http.MethodPost, policiesPath+"/validate", "validatePolicy", "Check a policy file", "Says what is wrong with it, and where. It is not taken into effect.", "policies")
	op.Errors = []int{401, 413, 415, 422, 429, 503}
	register(s, api, op, nil, func(ctx context.Context, in *validateInput) (*validateOutput, error) {
		leave, err := s.thinks(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		out := &validateOutput{}
		out.Body.Problems = append([]Problem{}, s.c.Policies.Check(in.Body.Text)...)
		out.Body.Valid = len(out.Body.Problems) == 0
		return out, nil
	})

	op = operation(http.MethodPost, policiesPath+"/explain", "explainPolicy", "Ask what policy decides", "Which line of a profile decides about a thing, and what is allowed instead.", "policies")
	op.Errors = []int{401, 404, 415, 422, 429, 503}
	register(s, api, op, nil, func(ctx context.Context, in *explainInput) (*explainOutput, error) {
		leave, err := s.thinks(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		out := &explainOutput{}
		for _, thing := range in.Body.Things {
			if len(thing) > 255 {
				return nil, fail(http.StatusUnprocessableEntity, "invalid", "body.things: one is longer than 255 bytes")
			}
			text, ok := s.c.Policies.Explain(in.Body.Profile, thing)
			if !ok {
				return nil, errNotFound
			}
			out.Body.Items = append(out.Body.Items, Explained{thing, text})
		}
		return out, nil
	})
}

func (s *Server) profile(_ context.Context, in *profileInput) (*profileOutput, error) {
	for _, p := range s.c.Policies.Profiles() {
		if p.Name != in.Profile {
			continue
		}
		out := &profileOutput{}
		out.Body.Profile = p
		out.Body.Text, _ = s.c.Policies.Text(p.Name)
		return out, nil
	}
	return nil, errNotFound
}
