package lookalike

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed python.txt
var pythonNames string

//go:embed npm.txt
var npmNames string

// popular packages that Debian does not carry, or under another name: from the
// documentation of the field's frameworks and model vendors, 2026-11.
const (
	popularPython = `accelerate anthropic bitsandbytes black bs4 catboost chromadb crewai cv2 datasets dateutil diffusers discord
dotenv duckdb faiss fastapi google-cloud-storage google-generativeai gradio groq huggingface-hub instructor jax keras langchain
langchain-community langchain-core langchain-openai langgraph lightgbm litellm llama-index mistralai mlflow modal ollama openai openpyxl
optuna peft pillow pinecone playwright plotly polars prophet psycopg2-binary pycryptodome pydantic pydantic-ai pyspark
python-dateutil python-dotenv pytorch-lightning ray scikit-image scikit-learn seaborn sentence-transformers sentencepiece
sklearn smolagents spacy stable-baselines3 streamlit stripe tensorboard tensorflow tiktoken tokenizers torch torchaudio
torchvision transformers tqdm twilio unstructured vllm wandb weaviate-client xgboost yfinance`
	popularNPM = `anthropic axios body-parser chalk commander cors cross-env discord dotenv electron eslint esbuild ethers
fastify firebase graphql helmet jest jsonwebtoken langchain mongodb mongoose mocha moment mysql2 nestjs next nodemailer nodemon
openai playwright prettier prisma puppeteer react-dom react-router redis rollup sequelize socket.io stripe svelte tailwindcss
typescript uuid vite vitest vue web3 webpack winston ws zod`
)

// list is what is known of an ecosystem.
type list struct {
	known     map[string]bool
	wellKnown []string
	// forms lead from the forms of well-known names to the names.
	forms map[string]string
}

var lists = sync.OnceValue(func() map[Ecosystem]list {
	return map[Ecosystem]list{Python: read(pythonNames, popularPython), NPM: read(npmNames, popularNPM)}
})

// read reads a file of names, in which a star marks the well-known ones, and
// the popular names beside it.
func read(names, popular string) list {
	out := list{known: map[string]bool{}, forms: map[string]string{}}
	for line := range strings.Lines(names) {
		name, wellKnown := strings.CutSuffix(strings.TrimSpace(line), "*")
		if strings.HasPrefix(name, "#") {
			continue
		}
		out.add(name, wellKnown)
	}
	for _, name := range strings.Fields(popular) {
		out.add(name, true)
	}
	return out
}

func (l *list) add(name string, wellKnown bool) {
	name = normal(name)
	l.known[name] = true
	if !wellKnown {
		return
	}
	for _, form := range forms {
		if len(name) >= minName {
			l.forms[form(name)] = name
		}
	}
	l.wellKnown = append(l.wellKnown, name)
}
