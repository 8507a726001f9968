package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"path"

	"github.com/danielgtaylor/huma/v2"

	"palisade"
)

type artifactsOutput struct {
	Body struct {
		Items []palisade.Artifact `json:"items"`
	}
}

type artifactInput struct {
	RunPath
	Name string `path:"name" maxLength:"1024" doc:"As the outcome names it; slashes as %2F."`
}

type artifactOutput struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

func (s *Server) artifacts(api huma.API) {
	op := operation(http.MethodGet, executionsPath+"/{run}/artifacts", "listArtifacts", "List a run's files", "Those that the program left in its working directory.", "executions")
	op.Errors = []int{401, 404, 429}
	register(s, api, op, nil, s.listArtifacts)

	op = operation(http.MethodGet, executionsPath+"/{run}/artifacts/{name}", "getArtifact", "Get a file of a run", "Its bytes. Files are kept for a time only: 410 where this one no longer is.", "executions")
	op.Errors = []int{401, 404, 410, 429}
	op.Responses = map[string]*huma.Response{"200": {
		Description: "The file.", Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: "string", Format: "binary"}}},
	}}
	register(s, api, op, nil, s.getArtifact)
}

// filesOf are the files of a run that the caller may see, and whose they are.
func (s *Server) filesOf(ctx context.Context, id string) (tenant string, files []palisade.Artifact, err error) {
	run, err := s.c.Index.Run(ctx, callerOf(ctx), id)
	if err != nil {
		return "", nil, s.known(id, err)
	}
	if !run.Complete {
		return run.Tenant, nil, nil
	}
	how, err := s.recorded(ctx, run)
	if err != nil {
		return "", nil, s.known(id, err)
	}
	var o told
	if how.outcome == nil {
		return run.Tenant, nil, nil
	}
	if err := json.Unmarshal(how.outcome, &o); err != nil {
		return "", nil, s.known(id, err)
	}
	return run.Tenant, o.Artifacts, nil
}

func (s *Server) listArtifacts(ctx context.Context, in *RunPath) (*artifactsOutput, error) {
	_, files, err := s.filesOf(ctx, in.Run)
	if err != nil {
		return nil, err
	}
	out := &artifactsOutput{}
	out.Body.Items = append([]palisade.Artifact{}, files...)
	return out, nil
}

func (s *Server) getArtifact(ctx context.Context, in *artifactInput) (*artifactOutput, error) {
	tenant, files, err := s.filesOf(ctx, in.Run)
	if err != nil {
		return nil, err
	}
	for _, one := range files {
		if one.Name != in.Name {
			continue
		}
		data, err := s.c.Artifacts.read(tenant, in.Run, one.Digest)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &Error{status: http.StatusGone, Code: "forgotten", Message: "the file is no longer kept", Run: in.Run, MayHaveRun: true}
		}
		if err != nil {
			return nil, s.known(in.Run, err)
		}
		// Never shown, always saved: a program wrote it.
		disposition := mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(one.Name)})
		return &artifactOutput{"application/octet-stream", disposition, data}, nil
	}
	return nil, errNotFound
}
