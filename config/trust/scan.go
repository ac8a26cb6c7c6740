package trust

import (
	"bytes"
	"strings"
)

const (
	beginMark = "-----BEGIN "
	endMark   = "-----END "
	markTail  = "-----"

	certificateLabel = "CERTIFICATE"
	certificateEnd   = endMark + certificateLabel + markTail

	// blank is white space within a line. Vertical tab and form feed are none.
	blank = " \t"
)

// block is a CERTIFICATE block whose boundaries have been verified.
type block struct {
	number int // 1 is the first
	line   int // of BEGIN; 1 is the first
	body   [][]byte
}

// scanner finds blocks line by line, where pem.Decode would search for the next
// that it likes and pass over all else.
type scanner struct {
	blocks []block
	line   int
	inside bool
}

// scan returns the blocks of a bundle in which nothing else stands.
func scan(text []byte) ([]block, error) {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return nil, &BundleError{Line: 1, Reason: ReasonByteOrderMark}
	}
	var s scanner
	for line := range bytes.Lines(text) {
		s.line++
		if err := s.take(withoutEnd(line)); err != nil {
			return nil, err
		}
	}
	if s.inside {
		return nil, s.last().refuse(ReasonMissingEnd, "")
	}
	return s.blocks, nil
}

// withoutEnd cuts off LF or CRLF.
func withoutEnd(line []byte) []byte {
	if line, ended := bytes.CutSuffix(line, []byte("\n")); ended {
		return bytes.TrimSuffix(line, []byte("\r"))
	}
	return line
}

func (s *scanner) take(line []byte) error {
	switch {
	case bytes.ContainsRune(line, '\r'):
		return s.refuse(ReasonCarriageReturn, "")
	case s.inside:
		return s.takeInside(line)
	default:
		return s.takeOutside(line)
	}
}

func (s *scanner) takeOutside(line []byte) error {
	text := string(bytes.TrimLeft(line, blank))
	switch {
	case text == "":
		return nil
	case strings.HasPrefix(text, beginMark):
		return s.begin(text)
	case strings.HasPrefix(text, endMark):
		return s.refuse(ReasonEndWithoutBegin, "")
	default:
		return s.refuse(ReasonOutsideBlocks, "")
	}
}

// begin takes a line that starts with beginMark.
func (s *scanner) begin(line string) error {
	s.blocks = append(s.blocks, block{number: len(s.blocks) + 1, line: s.line})
	s.inside = true
	label, whole := strings.CutSuffix(strings.TrimPrefix(line, beginMark), markTail)
	switch {
	case strings.Contains(label, "PRIVATE KEY"):
		return s.refuse(ReasonPrivateKey, "")
	case !whole:
		return s.refuse(ReasonMalformedBegin, "")
	case label != certificateLabel:
		return s.refuse(ReasonNotCertificateBlock, label)
	default:
		return nil
	}
}

func (s *scanner) takeInside(line []byte) error {
	switch {
	case bytes.Contains(line, []byte(endMark)):
		return s.end(line)
	case bytes.Contains(line, []byte(beginMark)):
		return s.refuse(ReasonNestedBegin, "")
	case bytes.ContainsRune(line, ':'):
		return s.refuse(ReasonHeader, "")
	default:
		last := s.last()
		last.body = append(last.body, line)
		return nil
	}
}

// end takes a line with endMark in it.
func (s *scanner) end(line []byte) error {
	behind, matches := bytes.CutPrefix(line, []byte(certificateEnd))
	switch {
	case !matches:
		return s.refuse(ReasonMismatchedEnd, "")
	case len(bytes.Trim(behind, blank)) > 0:
		return s.refuse(ReasonBehindEnd, "")
	default:
		s.inside = false
		return nil
	}
}

func (s *scanner) last() *block { return &s.blocks[len(s.blocks)-1] }

func (s *scanner) refuse(reason Reason, detail string) error {
	return &BundleError{
		Line: s.line, Block: len(s.blocks), Outside: !s.inside,
		Reason: reason, Detail: printable(detail),
	}
}

// refuse is about the block as a whole, and points at its first line.
func (b *block) refuse(reason Reason, detail string) error {
	return &BundleError{Line: b.line, Block: b.number, Reason: reason, Detail: printable(detail)}
}
