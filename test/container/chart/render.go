// Renders the templates of a Helm chart with the engine and the functions that Helm has: text/template and sprig. Standard input is
// JSON: {"templates": {name: text}, "values": {}, "chart": {}, "release": {}}; standard output is the rendered text. A mapping is
// written as JSON, which is YAML, too.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
)

type input struct {
	Templates map[string]string
	Values    map[string]interface{}
	Chart     map[string]interface{}
	Release   map[string]interface{}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	var in input
	fail(json.NewDecoder(os.Stdin).Decode(&in))
	all := template.New("chart").Option("missingkey=error")
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := json.Marshal(value)
		return string(text), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	all.Funcs(functions)
	var names []string
	for name, text := range in.Templates {
		_, err := all.New(name).Parse(text)
		fail(err)
		if strings.HasSuffix(name, ".yaml") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	data := map[string]interface{}{"Values": in.Values, "Chart": in.Chart, "Release": in.Release}
	for _, name := range names {
		fmt.Println("---")
		fail(all.ExecuteTemplate(os.Stdout, name, data))
		fmt.Println()
	}
}
