package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// wrongType says what was wanted in the words of YAML, not of Go.
func wrongType(err *json.UnmarshalTypeError) string {
	got, number := strings.CutPrefix(err.Value, "number ")
	switch {
	case number:
		got = "the number " + got
	case got == "bool":
		got = "true or false"
	case got == "array":
		got = "a list"
	case got == "object":
		got = "a mapping"
	case got == "string":
		got = "text"
	default: // "number"
		got = "a number"
	}
	return fmt.Sprintf("want %s, got %s", wanted(err.Type.Kind()), got)
}

func wanted(kind reflect.Kind) string {
	switch kind {
	case reflect.String:
		return "text, in quotes if need be"
	case reflect.Bool:
		return "true or false, without quotes"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "a mapping"
	case reflect.Float32, reflect.Float64:
		return "a number, without quotes"
	}
	return "a whole number, without quotes"
}
