package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// All automatic mutants of a package are compiled into one binary. A number in an environment variable activates one of
// them. An expression E of type T that has mutants E₁ and E₂ becomes
//
//	func() T { switch mutant__(site) { case 1: return (E₁)
//	case 2: return (E₂) }; return (E) }()
//
// where E itself contains the mutants of its subexpressions. A statement that a mutant skips becomes the body of an if
// statement. If no mutant is active, the results and the order of evaluation are unchanged.

// An automatic mutant is a change of one expression or statement that the program generates.
type automatic struct {
	ID   int
	Site int
	File string // the path from the top of the checkout
	At   int    // the number of the line
	Line string // its text, without indentation
	// Change is "old → new". If an equal line earlier in the file has the same change, a number follows.
	Change string

	text string // the replacement of the expression, or "" to skip a statement
}

// key identifies a mutant by its file, the text of its line and its change. It does not change if the line moves.
func (m automatic) key() string { return m.File + "\n" + m.Line + "\n" + m.Change }

func (m automatic) String() string {
	return fmt.Sprintf("%s:%d: %s   [%s]", m.File, m.At, m.Line, m.Change)
}

// A site is an expression or a statement of the source code that one or more mutants change.
type site struct {
	id, start, end int
	kind           string // the type of an expression, "" for a statement
	mutants        []*automatic
}

// A maker generates the mutants of one file, and the text of this file with all mutants in it.
type maker struct {
	file     string // the path from the top of the checkout
	text     []byte
	files    *token.FileSet
	info     *types.Info
	pkg      *types.Package
	imported map[string]string // names of packages, by path
	nextSite *int
	sites    []*site
	stack    []ast.Node
}

// offset returns the offset, in bytes, of a position in the source file.
func (k *maker) offset(p token.Pos) int { return k.files.Position(p).Offset }

func (k *maker) of(n ast.Node) string { return string(k.text[k.offset(n.Pos()):k.offset(n.End())]) }

// add adds a mutant that replaces the node n of the syntax tree by text. The parameter change
// describes the replacement for people, and kind is the type of the expression n, or "" for a
// statement.
func (k *maker) add(n ast.Node, kind, text, change string) {
	start, end := k.offset(n.Pos()), k.offset(n.End())
	var at *site
	if i := slices.IndexFunc(k.sites, func(s *site) bool { return s.start == start && s.end == end && s.kind == kind }); i >= 0 {
		at = k.sites[i]
	} else {
		*k.nextSite++
		at = &site{id: *k.nextSite, start: start, end: end, kind: kind}
		k.sites = append(k.sites, at)
	}
	p := k.files.Position(n.Pos())
	from := bytes.LastIndexByte(k.text[:p.Offset], '\n') + 1
	line, _, _ := strings.Cut(string(k.text[from:]), "\n")
	m := &automatic{Site: at.id, File: k.file, At: p.Line, Line: strings.TrimSpace(line), Change: strings.Join(strings.Fields(change), " "), text: text}
	for _, other := range at.mutants {
		if other.text == text {
			return
		}
	}
	at.mutants = append(at.mutants, m)
}

// swap adds a mutant that replaces the expression e by the expression text.
func (k *maker) swap(e ast.Expr, text string) {
	t := k.info.Types[e].Type
	if t == nil {
		return
	}
	if basic, ok := t.(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
		if basic.Kind() != types.UntypedBool {
			return
		}
		t = types.Typ[types.Bool]
	}
	if _, several := t.(*types.Tuple); several {
		return
	}
	kind := types.TypeString(t, func(p *types.Package) string {
		if p == k.pkg {
			return ""
		}
		if name, ok := k.imported[p.Path()]; ok {
			return name
		}
		return p.Name()
	})
	k.add(e, kind, text, k.of(e)+" → "+text)
}

// quiet matches functions that only produce messages or mark places for audits. Calls of these functions get no
// mutants.
var quiet = regexp.MustCompile(`^(fmt\.|errors\.|panic$|(noise\.)?(Mark|Forget)$|log\.)`)

// commutative lists functions whose result does not depend on the order of arguments. No mutant exchanges their
// arguments.
var commutative = map[string]bool{"min": true, "max": true, "Mul": true, "Add": true, "Equal": true}

// make generates the sites and mutants of the parsed file f.
func (k *maker) make(f *ast.File) {
	k.imported = map[string]string{}
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			k.imported[path] = spec.Name.Name
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			k.stack = k.stack[:len(k.stack)-1]
			return true
		}
		if !k.enter(n) {
			return false
		}
		k.stack = append(k.stack, n)
		return true
	})
}

// enter generates the mutants of a node of the syntax tree, and reports whether the nodes inside it
// may have mutants.
func (k *maker) enter(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Name.Name == "String" || n.Name.Name == "Error" {
			return false
		}
	case *ast.GenDecl:
		if n.Tok != token.VAR {
			return false
		}
	case *ast.CallExpr:
		if quiet.MatchString(k.of(n.Fun)) {
			return false
		}
	case *ast.BlockStmt:
		k.statements(n.List)
	case *ast.CaseClause:
		k.statements(n.Body)
	case *ast.RangeStmt:
		k.short(n.X)
	case *ast.IfStmt:
		if k.refuses(n) {
			return false
		}
	}
	e, ok := n.(ast.Expr)
	if !ok || len(k.stack) == 0 {
		return true
	}
	if recovers(e) {
		return false
	}
	tv, ok := k.info.Types[e]
	if !ok || !tv.IsValue() || tv.IsNil() || !k.value(e, k.stack[len(k.stack)-1]) {
		return true
	}
	if tv.Value != nil {
		if !k.besideError(k.stack[len(k.stack)-1]) {
			k.constant(e, tv)
		}
		return false
	}
	return k.expression(e)
}

// value reports whether the expression e is only read by its parent, so that another expression can replace it.
func (k *maker) value(e ast.Expr, parent ast.Node) bool {
	switch p := parent.(type) {
	case *ast.BinaryExpr, *ast.ReturnStmt, *ast.SliceExpr:
		if s, ok := p.(*ast.SliceExpr); ok {
			return s.X != e
		}
		return true
	case *ast.CallExpr:
		return p.Fun != e
	case *ast.AssignStmt:
		return slices.Contains(p.Rhs, e) && len(p.Lhs) == len(p.Rhs)
	case *ast.KeyValueExpr:
		return p.Value == e
	case *ast.CompositeLit:
		return p.Type != e
	case *ast.IndexExpr:
		return p.Index == e
	case *ast.IfStmt:
		return p.Cond == e
	case *ast.ForStmt:
		return p.Cond == e
	case *ast.SwitchStmt:
		return p.Tag == e
	case *ast.CaseClause: // only of a switch without a tag
		s, ok := k.stack[len(k.stack)-3].(*ast.SwitchStmt)
		return ok && s.Tag == nil
	case *ast.UnaryExpr:
		return p.Op == token.NOT || p.Op == token.SUB
	case *ast.ValueSpec:
		return slices.Contains(p.Values, e) && len(p.Names) == len(p.Values)
	}
	return false
}

// small is the largest absolute value of a constant whose mutants add or subtract one. The mutants
// of larger constants halve them.
const small = 64

func (k *maker) constant(e ast.Expr, tv types.TypeAndValue) {
	switch tv.Value.Kind() {
	case constant.Bool:
		k.swap(e, fmt.Sprint(!constant.BoolVal(tv.Value)))
	case constant.Int:
		n, exact := constant.Int64Val(tv.Value)
		switch {
		case exact && -small <= n && n <= small:
			k.swap(e, "("+k.of(e)+") + 1")
			k.swap(e, "("+k.of(e)+") - 1")
		default:
			k.swap(e, "("+k.of(e)+") / 2")
		}
	}
}

var operators = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.QUO},
	token.LSS: {token.LEQ}, token.LEQ: {token.LSS}, token.GTR: {token.GEQ}, token.GEQ: {token.GTR},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.SHL: {token.SHR}, token.SHR: {token.SHL}, token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.AND},
}

// refuses reports whether an if statement does nothing but panic. It then gets no mutants, because
// it usually detects an error of the programmer.
func (k *maker) refuses(n *ast.IfStmt) bool {
	if len(n.Body.List) != 1 || n.Else != nil {
		return false
	}
	s, ok := n.Body.List[0].(*ast.ExprStmt)
	return ok && strings.HasPrefix(k.of(s), "panic(")
}

// fails reports whether the expression e compares an error with nil. Such comparisons get no mutants, because errors
// are nil in almost all tests.
func (k *maker) fails(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	return ok && k.info.Types[b.Y].IsNil() && types.TypeString(k.info.Types[b.X].Type, nil) == "error"
}

// recovers reports whether an expression calls recover. Such an expression gets no mutants. A mutant would move the
// call into another function, but recover works only in the deferred function itself.
func recovers(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name, ok := call.Fun.(*ast.Ident)
			found = found || ok && name.Name == "recover"
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
	return found
}

// besideError reports whether n is a return statement with a non-nil error. Its other results do not matter, and get no
// mutants.
func (k *maker) besideError(n ast.Node) bool {
	r, ok := n.(*ast.ReturnStmt)
	if !ok || len(r.Results) < 2 {
		return false
	}
	last := k.info.Types[r.Results[len(r.Results)-1]]
	return !last.IsNil() && types.TypeString(last.Type, nil) == "error"
}

func (k *maker) expression(e ast.Expr) bool {
	parent := k.stack[len(k.stack)-1]
	if k.fails(e) {
		return false
	}
	switch parent.(type) {
	case *ast.IfStmt, *ast.CaseClause:
		k.swap(e, "true")
		k.swap(e, "false")
	case *ast.ForStmt:
		k.swap(e, "false")
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		for _, op := range operators[e.Op] {
			k.swap(e, fmt.Sprintf("%s %s %s", k.of(e.X), op, k.of(e.Y)))
		}
		if _, loop := parent.(*ast.ForStmt); loop && (e.Op == token.LSS || e.Op == token.LEQ) {
			k.swap(e, fmt.Sprintf("%s %s %s - 1", k.of(e.X), e.Op, k.of(e.Y)))
		}
	case *ast.UnaryExpr:
		if e.Op == token.NOT || e.Op == token.SUB {
			k.swap(e, "("+k.of(e.X)+")")
		}
	case *ast.Ident:
		k.neighbour(e)
	case *ast.SelectorExpr:
		k.field(e)
	case *ast.CallExpr:
		k.call(e)
	}
	return true
}

// neighbour adds a mutant that replaces a variable by another variable of the same type: the one in scope that was
// declared last.
func (k *maker) neighbour(e *ast.Ident) {
	own, ok := k.info.Uses[e].(*types.Var)
	if !ok || own.IsField() || own.Parent() == k.pkg.Scope() || skipped(own.Type()) {
		return
	}
	var best *types.Var
	innermost := k.pkg.Scope().Innermost(e.Pos())
	for s := innermost; s != nil && s != k.pkg.Scope(); s = s.Parent() {
		for _, name := range s.Names() {
			// A variable that another one shadows cannot be named.
			if _, o := innermost.LookupParent(name, e.Pos()); o != nil && o != own && name != "_" {
				v, ok := o.(*types.Var)
				if ok && o.Parent() == s && types.Identical(v.Type(), own.Type()) && (best == nil || v.Pos() > best.Pos()) {
					best = v
				}
			}
		}
	}
	if best != nil {
		k.swap(e, best.Name())
	}
}

// skipped reports whether variables and fields of the type t are never replaced by others, because
// these mutants would rarely change a result.
func skipped(t types.Type) bool {
	s := types.TypeString(t, nil)
	return s == "context.Context" || s == "error" || strings.HasSuffix(s, "noise.Coins")
}

// field adds a mutant that replaces a field of a struct by the next field of the same type.
func (k *maker) field(e *ast.SelectorExpr) {
	chosen := k.info.Selections[e]
	if chosen == nil || chosen.Kind() != types.FieldVal || len(chosen.Index()) != 1 || skipped(chosen.Type()) {
		return
	}
	t := chosen.Recv()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := 1; i < s.NumFields(); i++ {
		f := s.Field((chosen.Index()[0] + i) % s.NumFields())
		if types.Identical(f.Type(), chosen.Type()) {
			k.swap(e, k.of(e.X)+"."+f.Name())
			return
		}
	}
}

// call adds the mutants of a call. They replace a random sample by a constant, replace the result of the call by one of
// its arguments, or exchange arguments.
func (k *maker) call(e *ast.CallExpr) {
	if k.info.Types[e.Fun].IsType() {
		return
	}
	name := k.of(e.Fun)
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	if s, ok := e.Fun.(*ast.SelectorExpr); ok && strings.HasSuffix(types.TypeString(k.info.Types[s.X].Type, nil), "noise.Coins") {
		switch name {
		case "Draw":
			k.swap(e, k.of(e)+".SetInt64(0)")
		case "Bernoulli", "BernoulliExp", "BernoulliScaledExp":
			k.swap(e, "true")
			k.swap(e, "false")
		case "Uint64n", "Pick":
			k.swap(e, "0")
		case "Below":
			k.swap(e, k.of(e)+".SetInt64(0)")
		}
	} else if k.of(e.Fun) == "noise.Gibbs" {
		k.swap(e, "0")
	}
	result := k.info.Types[e].Type
	for i, a := range e.Args {
		t := k.info.Types[a].Type
		if t == nil || result == nil || name == "Clone" || name == "append" {
			continue
		}
		if types.Identical(t, result) && (i == 0 || name == "min" || name == "max") {
			k.swap(e, k.of(a))
		}
	}
	for i := range len(e.Args) - 1 {
		a, b := e.Args[i], e.Args[i+1]
		s, t := k.info.Types[a].Type, k.info.Types[b].Type
		if e.Ellipsis.IsValid() || s == nil || t == nil || !types.Identical(s, t) || k.of(a) == k.of(b) || commutative[name] {
			continue
		}
		from, to := k.offset(e.Pos()), k.offset(e.End())
		k.swap(e, string(k.text[from:k.offset(a.Pos())])+k.of(b)+string(k.text[k.offset(a.End()):k.offset(b.Pos())])+k.of(a)+string(k.text[k.offset(b.End()):to]))
	}
}

// short adds a mutant that omits the last iteration of a loop over the slice or number x.
func (k *maker) short(x ast.Expr) {
	t := k.info.Types[x].Type
	if t == nil {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 && u.Info()&types.IsUntyped == 0 {
			k.swap(x, "("+k.of(x)+") - 1")
		}
	case *types.Slice:
		switch x.(type) {
		case *ast.Ident, *ast.SelectorExpr:
			k.swap(x, fmt.Sprintf("%s[:max(len(%[1]s)-1, 0)]", k.of(x)))
		}
	}
}

// statements adds mutants in which an assignment or a call from the list of statements is skipped.
func (k *maker) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); !ok || quiet.MatchString(k.of(c.Fun)) {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		first, _, more := strings.Cut(k.of(s), "\n")
		if more {
			first += " …"
		}
		k.add(s, "", "", first+" → nothing")
	}
}

// render returns the text of the file with all mutants in it. Comments in the text mark the lines that belong to each
// mutant and each site.
func (k *maker) render() []byte {
	type insertion struct {
		at, order int // the offset, and the order among the insertions at the same offset
		text      string
	}
	var all []insertion
	for _, s := range k.sites {
		if len(s.mutants) == 0 {
			continue
		}
		var before strings.Builder
		size := s.end - s.start
		if s.kind == "" {
			m := s.mutants[0]
			fmt.Fprintf(&before, "/*s%d*/if mutant__(%d) != %d {\n", s.id, s.id, m.ID)
			all = append(all, insertion{s.start, -size - 1, before.String()}, insertion{s.end, size + 1, fmt.Sprintf("\n/*s%d*/}", s.id)})
			continue
		}
		fmt.Fprintf(&before, " /*s%d*/func() %s { switch mutant__(%d) {", s.id, s.kind, s.id)
		for _, m := range s.mutants {
			fmt.Fprintf(&before, "\n/*m%d*/case %d: return (%s)", m.ID, m.ID, m.text)
		}
		fmt.Fprintf(&before, "\n/*s%d*/}; return (", s.id)
		all = append(all, insertion{s.start, -size, before.String()}, insertion{s.end, size, ") }()"})
	}
	// At the same offset, texts after sites precede texts before other sites. Of several texts after sites, that of
	// the innermost site is first; of several texts before sites, that of the outermost site is first.
	slices.SortStableFunc(all, func(a, b insertion) int {
		if a.at != b.at {
			return a.at - b.at
		}
		if (a.order > 0) != (b.order > 0) {
			return b.order - a.order
		}
		return a.order - b.order
	})
	var out bytes.Buffer
	from := 0
	for _, i := range all {
		out.Write(k.text[from:i.at])
		out.WriteString(i.text)
		from = i.at
	}
	out.Write(k.text[from:])
	return out.Bytes()
}

// mutants returns the mutants of all sites that the maker has found in the source file.
func (k *maker) mutants() (all []*automatic) {
	for _, s := range k.sites {
		all = append(all, s.mutants...)
	}
	return all
}

// keep removes those mutants of the maker that the set kept does not contain.
func (k *maker) keep(kept map[*automatic]bool) {
	for _, s := range k.sites {
		s.mutants = slices.DeleteFunc(s.mutants, func(m *automatic) bool { return !kept[m] })
	}
}

// drop removes the mutants and sites to which the given lines of a rendered text belong, and
// reports whether there were any.
func (k *maker) drop(text []byte, lines map[int]bool) bool {
	marker := regexp.MustCompile(`/\*([ms])(\d+)\*/`)
	dropped := false
	kind, id := "", 0
	for i, line := range strings.Split(string(text), "\n") {
		found := marker.FindAllStringSubmatch(line, -1)
		if len(found) > 0 && strings.HasPrefix(line, found[0][0]) {
			kind = found[0][1]
			id, _ = strconv.Atoi(found[0][2])
		}
		if !lines[i+1] {
			if len(found) > 0 {
				last := found[len(found)-1]
				kind = last[1]
				id, _ = strconv.Atoi(last[2])
			}
			continue
		}
		remove := map[string]bool{kind + strconv.Itoa(id): kind != ""}
		if kind != "m" {
			for _, f := range found {
				remove[f[1]+f[2]] = true
			}
		}
		for _, s := range k.sites {
			before := len(s.mutants)
			if remove["s"+strconv.Itoa(s.id)] {
				s.mutants = nil
			}
			s.mutants = slices.DeleteFunc(s.mutants, func(m *automatic) bool { return remove["m"+strconv.Itoa(m.ID)] })
			dropped = dropped || len(s.mutants) < before
		}
		if len(found) > 0 {
			last := found[len(found)-1]
			kind = last[1]
			id, _ = strconv.Atoi(last[2])
		}
	}
	return dropped
}

// switchFile is the text of a file that is added to each package with mutants. Its function mutant__ returns which
// mutant is active.
const switchFile = `package %s

import (
	mutantos__ "os"
	mutantconv__ "strconv"
	mutantsync__ "sync"
)

var (
	mutantOn__, _  = mutantconv__.Atoi(mutantos__.Getenv("SIBYL_MUTANT"))
	mutantTo__     = mutantos__.Getenv("SIBYL_MUTANT_REACHED")
	mutantSeen__   mutantsync__.Map
)

func mutant__(site int) int {
	if mutantTo__ != "" {
		mutantNote__(site)
	}
	return mutantOn__
}

func mutantNote__(site int) {
	if _, seen := mutantSeen__.LoadOrStore(site, true); seen {
		return
	}
	if f, err := mutantos__.OpenFile(mutantTo__, mutantos__.O_APPEND|mutantos__.O_CREATE|mutantos__.O_WRONLY, 0o600); err == nil {
		f.WriteString(mutantconv__.Itoa(site) + "\n")
		f.Close()
	}
}
`

// mutate generates the mutants of the named files of the package p, and removes those that do not compile. It returns
// a maker for each file. The second result is the text of a file that must be added to the package (see switchFile).
func mutate(root string, all packages, p pack, names []string, nextSite, nextID *int) (makers map[string]*maker, besides []byte, err error) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	c := all.checker()
	parsed, pkg, err := c.check(p, nil, info, nil)
	if err != nil {
		return nil, nil, err
	}
	makers = map[string]*maker{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		k := &maker{file: strings.TrimPrefix(name, root+"/"), text: text, files: c.files, info: info, pkg: pkg, nextSite: nextSite}
		if parsed[name] == nil {
			return nil, nil, fmt.Errorf("%s is not a file of the package %s", name, p.ImportPath)
		}
		k.make(parsed[name])
		times := map[string]int{}
		for _, s := range k.sites {
			for _, m := range s.mutants {
				*nextID++
				m.ID = *nextID
				if times[m.key()]++; times[m.key()] > 1 {
					m.Change += fmt.Sprintf(" (%d)", times[m.key()])
				}
			}
		}
		makers[name] = k
	}
	extra := p.Dir + "/mutant__.go"
	q := p
	q.GoFiles = append(slices.Clone(p.GoFiles), "mutant__.go")
	besides = fmt.Appendf(nil, switchFile, pkg.Name())
	for range 40 {
		texts := map[string][]byte{extra: besides}
		for name, k := range makers {
			texts[name] = k.render()
		}
		wrong := map[string]map[int]bool{}
		var first error
		c := all.checker()
		_, _, err := c.check(q, texts, nil, func(err error) {
			e, ok := err.(types.Error)
			if !ok || e.Soft && strings.Contains(e.Msg, "imported and not used") {
				return
			}
			at := e.Fset.Position(e.Pos)
			if wrong[at.Filename] == nil {
				wrong[at.Filename] = map[int]bool{}
			}
			wrong[at.Filename][at.Line] = true
			if first == nil {
				first = err
			}
		})
		if err != nil && first == nil {
			return nil, nil, err
		}
		if first == nil {
			return makers, besides, nil
		}
		mended := false
		for name, lines := range wrong {
			if k := makers[name]; k != nil && k.drop(texts[name], lines) {
				mended = true
			}
		}
		if !mended {
			return nil, nil, fmt.Errorf("the package does not compile with its mutants, but no mutant causes the error: %w", first)
		}
	}
	return nil, nil, fmt.Errorf("%s: the package does not compile with its mutants, even after mutants were removed 40 times", p.ImportPath)
}
