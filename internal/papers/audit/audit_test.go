package audit_test

import _ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
