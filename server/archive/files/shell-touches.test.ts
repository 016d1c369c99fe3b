import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shellTokens } from './shell-tokens.ts';
import { commandTouches, shellTouches } from './shell-touches.ts';

/** Touches as `kind path`, with a star where all below is meant. */
function told(script: string, folder: string | null = '/w'): string[] {
  return shellTouches(script, folder).map(({ kind, path, tree }) => `${kind} ${path}${tree ? ' *' : ''}`);
}

describe('reading', () => {
  test.each([
    ['cat a', ['read /w/a']],
    ['cat -n a b/c', ['read /w/a', 'read /w/b/c']],
    ['/bin/cat ./a', ['read /w/a']],
    [`cat 'a b' "c d" e\\ f`, ['read /w/a b', 'read /w/c d', 'read /w/e f']],
    ['cat -- -a', ['read /w/-a']],
    ['sed -n 1,200p src/a.ts', ['read /w/src/a.ts']],
    [`sed -n '1,20p;30p' a`, ['read /w/a']],
    ['sed -n -e 1p -e 2p a', ['read /w/a']],
    ['head -50 a', ['read /w/a']],
    ['head -n 50 a', ['read /w/a']],
    ['tail -n +3 a', ['read /w/a']],
    ['nl -ba a | sed -n 1,20p', ['read /w/a']],
    ['cat a | head -n 5 | cat', ['read /w/a']],
    ['cat < a', ['read /w/a']],
    ['cat a 2>/dev/null', ['read /w/a']],
    ['cat a; cat b', ['read /w/a', 'read /w/b']],
    ['(cat a)', ['read /w/a']],
    ['{ cat a; }', ['read /w/a']],
    ['bash -lc "cat a"', ['read /w/a']],
    ['cat a || true', ['read /w/a']],
    ['cat /etc/hosts', ['read /etc/hosts']],
  ])('%s', (script, expected) => {
    expect(told(script)).toEqual(expected);
  });

  test.each([
    'cat a | grep x',
    'cat a | wc -l',
    'cat a | head -n 1 | tr a b',
    'grep -n x a',
    'cat',
    'cat -',
    'cat *.ts',
    'cat $FILE',
    'cat "$DIR/a"',
    'cat `which x`',
    'cat ~/a',
    'cat a.{ts,js}',
    'sed s/x/y/ a',
    'wc -l a',
    'echo cat a',
    'echo "cat a"',
    '# cat a',
    'x=$(cat a)',
    'cat <(sort a)',
    '! cat a',
  ])('not plain to see: %s', (script) => {
    expect(told(script).filter((touch) => touch.startsWith('read'))).toEqual([]);
  });
});

describe('changing', () => {
  test.each([
    ['echo x > a', ['write /w/a']],
    ['> a', ['write /w/a']],
    [': > a', ['write /w/a']],
    ['echo x >> a', ['edit /w/a']],
    ['echo x >| a', ['write /w/a']],
    ['npm test > out.txt 2>&1', ['write /w/out.txt']],
    ['npm test &> out.txt', ['write /w/out.txt']],
    ['npm test 2>err.txt', ['write /w/err.txt']],
    ['npm test >out.txt 2>>err.txt', ['write /w/out.txt', 'edit /w/err.txt']],
    ['echo a>b', ['write /w/b']],
    ['echo 2>b', ['write /w/b']],
    ['cat a > b', ['write /w/b']],
    ['cat a b >> c', ['edit /w/c']],
    ['(echo x; cat a) > b', ['write /w/b']],
    ["cat > a <<'EOF'\n> not\nrm b\nEOF\n", ['write /w/a']],
    ['cat <<EOF > a\n$x `y`\nEOF\nrm b', ['write /w/a', 'delete /w/b']],
    ['cat <<-EOF >> a\n\tx\n\tEOF', ['edit /w/a']],
    ['cat <<A <<B > c\n1\nA\n2\nB\nrm d', ['write /w/c', 'delete /w/d']],
    ['cat <<< "rm a" > b', ['write /w/b']],
    ['npm test | tee out.txt', ['write /w/out.txt']],
    ['npm test 2>&1 | tee -a out.txt | tail -n 5', ['edit /w/out.txt']],
    ['rm a', ['delete /w/a']],
    ['rm -f a b', ['delete /w/a', 'delete /w/b']],
    ['rm -rf src', ['delete /w/src *']],
    ['rm -f -- -a', ['delete /w/-a']],
    ['rm a || true', ['delete /w/a']],
    ['mv a b', ['move /w/a *', 'move /w/b', 'move /w/b/a']],
    ['mv a b/', ['move /w/a *', 'move /w/b/a']],
    ['mv a x/b c', ['move /w/a *', 'move /w/x/b *', 'move /w/c/a', 'move /w/c/b']],
    ['mv -t dir a', ['move /w/a *', 'move /w/dir/a']],
    ['git mv a b', ['move /w/a *', 'move /w/b', 'move /w/b/a']],
    ['cp a b', ['write /w/b', 'write /w/b/a']],
    ['cp -r a b/', ['write /w/b/a *']],
    ['git checkout -- a', ['write /w/a *']],
    ['git checkout HEAD~1 -- a b', ['write /w/a *', 'write /w/b *']],
    ['git checkout .', ['write /w *']],
    ['git restore a', ['write /w/a *']],
    ['git restore --source=HEAD~1 -- a', ['write /w/a *']],
    ['git restore -s HEAD a', ['write /w/a *']],
    ['git restore --staged --worktree a', ['write /w/a *']],
    ['git rm -q a', ['delete /w/a *']],
    ['git -C sub mv a b', ['move /w/sub/a *', 'move /w/sub/b', 'move /w/sub/b/a']],
    ['git --no-pager -c a=b restore a', ['write /w/a *']],
    [`sed -i 's/x/y/' a`, ['edit /w/a']],
    [`sed -i.bak -e 's/x/y/' a b`, ['edit /w/a', 'edit /w/b']],
    [`sed -i '' 's/x/y/' a`, ['edit /w/a']],
    [`sed --in-place s/x/y/ a`, ['edit /w/a']],
    [`sed -Ei 's/x/y/' a`, ['edit /w/a']],
    [`perl -pi -e 's/x/y/' a`, ['edit /w/a']],
    [`perl -i -pe 's/x/y/' a`, ['edit /w/a']],
    ['truncate -s 0 a', ['edit /w/a']],
    ['sudo rm a', ['delete /w/a']],
    ['A=1 B="$x" env C=2 rm a', ['delete /w/a']],
    ['timeout 9 rm a', ['delete /w/a']],
    ['npm test && rm a && mv b c', ['delete /w/a', 'move /w/b *', 'move /w/c', 'move /w/c/b']],
    ['rm a &\nrm b', ['delete /w/a', 'delete /w/b']],
    ['rm a \\\n  b', ['delete /w/a', 'delete /w/b']],
    ['rm "$x" a', ['delete /w/a']],
    ['cd /other && rm a', ['delete /other/a']],
    ['(cd /other; rm a); rm b', ['delete /other/a', 'delete /w/b']],
    ['cd sub && rm a /x', ['delete /x']],
    ["bash -c 'rm a; echo x > b'", ['delete /w/a', 'write /w/b']],
    [
      "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n@@\n-x\n+*** Delete File: no\n*** End Patch\nEOF",
      ['edit /w/a'],
    ],
  ])('%s', (script, expected) => {
    expect(told(script)).toEqual(expected);
  });

  test.each([
    'git checkout main',
    'git checkout -b a',
    'git restore --staged a',
    'git rm --cached a',
    'git show HEAD:a',
    'rm $FILES',
    'rm *.ts',
    'rm src/*',
    'find . -name a -delete',
    'ls | xargs rm',
    'test -f a || rm a',
    'rm a || rm b',
    'if [ -f a ]; then rm a; fi',
    'for f in a b; do rm a; done',
    'while read f; do rm a; done < list',
    'case x in x) rm a;; esac',
    'f() { rm a; }',
    'function f { rm a; }',
    '[[ a > b ]]',
    '(( a > b ))',
    'echo "> a"',
    "echo 'rm a'",
    'echo \\> a',
    'echo x > /dev/null',
    'echo x >&2',
    'echo x 2>&1',
    'echo x > "$OUT"',
    'cd sub && rm a',
    'cd sub; rm a',
    'cd ..\nrm a',
    'pushd sub; rm a',
    'exit 0; rm a',
    'rm "a',
    "rm 'a",
    'rm $(a',
    'cat <<EOF\nrm a',
    'python - <<EOF\nopen("a","w")\nEOF',
    'mv a',
    'tee',
  ])('not plain to see: %s', (script) => {
    expect(told(script)).toEqual([]);
  });

  test('what stands before a condition counts, what stands behind it does not', () => {
    expect(told('rm a; if true; then rm b; fi; rm c')).toEqual(['delete /w/a']);
  });

  test('without a working folder only absolute names count', () => {
    expect(told('rm a /b', null)).toEqual(['delete /b']);
  });

  test('a command that is given as words has no shell to read it', () => {
    expect(commandTouches(['rm', '$x', 'a b'], '/w').map((touch) => touch.path)).toEqual(['/w/$x', '/w/a b']);
    expect(commandTouches(['bash', '-lc', 'rm a > b'], '/w').map((touch) => touch.path)).toEqual([
      '/w/a',
      '/w/b',
    ]);
  });
});

describe('the tokens of a line', () => {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

  test('give back every word that was quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1 }), (words) => {
        const tokens = shellTokens(words.map(quote).join(' '));
        expect(tokens?.map((token) => (token.type === 'word' ? token.text : token.op))).toEqual(words);
      }),
    );
  });

  test('come to an end for any text, and so do the touches', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom(
        ...`' " \` $( \${ ) } << <<< EOF > >> & && || ; | ( { \\ \n cat rm a # $' ~ * if done`.split(' '),
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        for (const script of [pieces.join(''), pieces.join(' ')]) {
          for (const { path } of shellTouches(script, '/w')) expect(path).toMatch(/^\//);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('in any nesting of groups and substitutions come to an end', () => {
    for (const open of ['(', '{ ', '$(', '"$(', '`', '${', "$'"]) {
      expect(told(`${open.repeat(20_000)}rm a`)).toEqual([]);
    }
  });
});

describe('hostile lines', () => {
  const many = 200_000;
  /** Each is near the longest input that is read. What takes a time that grows with the square would take hours. */
  test.each([
    ['brackets that do not close', `echo ${'['.repeat(900_000)}`],
    ['braces that do not close', `echo ${'{'.repeat(900_000)}`],
    ['brackets and braces', `echo ${'[{'.repeat(450_000)}`],
    ['names', `rm ${'a '.repeat(many)}`],
    ['names to be moved', `mv ${'a '.repeat(many)}d`],
    ['redirections', '>a '.repeat(many)],
    ['commands in a row', 'rm a &&'.repeat(100_000)],
    ['groups', '(cat a) >b;'.repeat(80_000)],
    ['folders', `rm ${'../'.repeat(300_000)}a`],
    ['substitutions', '$('.repeat(400_000)],
    ['here-documents', `cat ${'<<E '.repeat(20_000)}\n${'E\n'.repeat(20_000)}`],
    ['a shell in a shell', `bash -c "${'rm a;'.repeat(many)}"`],
  ])('%s, a million characters of them, are read or passed over', (_, script) => {
    expect(shellTouches(script, '/w').length).toBeLessThanOrEqual(20_000);
  });

  test('a command of very many words is passed over', () => {
    const words = Array.from({ length: 400_000 }, () => 'a');
    expect(commandTouches(['mv', ...words.slice(1)], '/w')).toEqual([]);
  });

  test('brackets and braces that do not close are names; those that do are patterns', () => {
    expect(told('rm a[ b{ c{d}')).toEqual(['delete /w/a[', 'delete /w/b{', 'delete /w/c{d}']);
    for (const name of ['a[b]', 'a{b,c}', 'a{1..3}', '}{a,b}', 'a]b[c]'])
      expect(told(`rm ${name}`)).toEqual([]);
  });
});
