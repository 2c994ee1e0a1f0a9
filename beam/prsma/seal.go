package prsma

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"fmt"
	"io"

	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/papers/parts"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/noise"
)

// A Seal encrypts the file of answers by AES-256-GCM, with a key that is used only for one pipeline.
type Seal struct{ Key noise.Key }

// newSeal returns a Seal with a new random key.
func newSeal() Seal { return Seal{noise.NewKey(noise.Crypto())} }

// cipher returns the AES-GCM cipher with the seal's key. The cipher encrypts each text with a new random nonce.
func (s Seal) cipher() (cipher.AEAD, error) {
	block, err := aes.NewCipher(s.Key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// write encrypts the results and writes them to a file. It replaces an existing file.
func (s Seal) write(ctx context.Context, name string, solved *parts.Solved) error {
	text, err := json.Marshal(solved)
	if err != nil {
		return err
	}
	c, err := s.cipher()
	if err != nil {
		return err
	}
	return rows.Put(ctx, name, func(to io.Writer) error {
		_, err := to.Write(c.Seal(nil, nil, padded(text), nil))
		return err
	})
}

// leastAnswers is the minimum length of a file of answers in bytes, before encryption.
const leastAnswers = 1 << 20

// padded appends spaces, which JSON ignores, to a JSON text, up to a length that is a power of two and at least
// leastAnswers. Without the spaces, the length of the file would reveal how many parts passed their test, and facts
// about their answers.
func padded(text []byte) []byte {
	size := leastAnswers
	for size < len(text) {
		size *= 2
	}
	return append(text, bytes.Repeat([]byte{' '}, size-len(text))...)
}

// Open reads the file of answers with the given name, and decrypts it with the key of the seal.
func (s Seal) Open(ctx context.Context, name string) (*parts.Solved, error) {
	file, err := rows.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be read: %w", quote.Name(name), publish.Inner(err))
	}
	defer file.Close()
	sealed, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be read: %w", quote.Name(name), publish.Inner(err))
	}
	c, err := s.cipher()
	if err != nil {
		return nil, err
	}
	text, err := c.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: this is not the file of answers that the pipeline wrote, or the file was changed", quote.Name(name))
	}
	solved := &parts.Solved{}
	return solved, json.Unmarshal(text, solved)
}
