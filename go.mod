module github.com/sibyl-dp/sibyl

go 1.26
