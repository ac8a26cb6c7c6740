package config

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// value is a part of a JSON text: its path, and the bytes where it begins and ends.
type value struct {
	path     string
	from, to int64
}

// valueAt returns the value that a decoder had read when it stood at the offset,
// or, if that is an object or a list, had begun.
func valueAt(text []byte, offset int64) (value, bool) {
	s := search{text: text, offset: offset, decoder: json.NewDecoder(bytes.NewReader(text))}
	s.decoder.UseNumber()
	s.value("")
	return s.found, s.found.to > 0
}

// search reads a text token by token up to an offset.
type search struct {
	text    []byte
	offset  int64
	decoder *json.Decoder
	found   value // to is 0 until then
}

// value reads one value, and reports whether there is more to be searched.
func (s *search) value(path string) bool {
	from := s.decoder.InputOffset()
	token, err := s.decoder.Token()
	if err != nil {
		return false
	}
	isIt := s.decoder.InputOffset() == s.offset
	more := s.below(path, token)
	if isIt {
		// Between two tokens there is no more than one separator.
		for from < s.offset && strings.IndexByte(" ,:", s.text[from]) >= 0 {
			from++
		}
		s.found = value{path, from, s.decoder.InputOffset()}
	}
	return more && !isIt
}

// below reads what is in an object or a list that has begun, to its end.
func (s *search) below(path string, begun json.Token) bool {
	if begun != json.Delim('{') && begun != json.Delim('[') {
		return true
	}
	for i := 0; s.decoder.More(); i++ {
		next := path + "[" + strconv.Itoa(i) + "]"
		if begun == json.Delim('{') {
			key, err := s.decoder.Token()
			if err != nil {
				return false
			}
			next = strings.TrimPrefix(path+"."+key.(string), ".")
		}
		if !s.value(next) {
			return false
		}
	}
	_, err := s.decoder.Token()
	return err == nil
}
