import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyHostileText } from '../../testing/hostile/any-text.ts'
import { hostileMarkdown } from '../../testing/hostile/markdown.ts'
import { problemsIn } from '../../testing/reports/markup.ts'
import { renderMarkdown } from './render.ts'
import { sanitise } from './sanitise.ts'

test('problemsIn detects the known problems', () => {
  const problems = problemsIn(
    '<script></script><p onclick=x style=y><a href="java&Tab;script:x">a</a><img src=data:x><p id=location>' +
      '<input type=text><a href=x>b</a><!-- c --><?d?><p class="js-x"><p id=user-content-a></p><p id=user-content-a></p>',
  )
  expect(problems).toEqual([
    '<script>',
    '<p onclick="x">: is not allowed',
    '<p style="y">: is not allowed',
    '<a href="java\tscript:x">: leads to javascript:',
    'the link to java\tscript:x has no rel',
    '<img src="data:x">: leads to data:',
    '<p> is not closed',
    '<p id="location">: has a value that is not allowed',
    '<input type="text">: has a value that is not allowed',
    'an input takes input',
    'the link to x has no rel',
    '<!-- c -->',
    '<?d?>',
    '<p> is not closed',
    '<p class="js-x">: has another class',
    '<p> is not closed',
    'the id user-content-a is there twice',
  ])
})

test('every known attack is harmless after rendering', () => {
  expect(hostileMarkdown.length).toBeGreaterThan(600)
  for (const text of hostileMarkdown) expect(problemsIn(renderMarkdown(text, { projectId: 7 })), text).toEqual([])
})

test('attacks are harmless inside each other and inside all Markdown constructs', () => {
  const around = [
    '> ',
    '- ',
    '- [ ] ',
    '# ',
    '    ',
    '| a |\n|-|\n| ',
    '[^a]\n\n[^a]: ',
    '> [!note] ',
    '<details>\n\n',
    '**',
    '[',
    '<p title="',
    '<!-- ',
    '`',
    '<svg>',
    '<a href="',
  ]
  for (const before of around) {
    for (const text of hostileMarkdown) expect(problemsIn(renderMarkdown(before + text)), before + text).toEqual([])
  }
  for (const [index, text] of hostileMarkdown.entries()) {
    const mixed = `${text}${hostileMarkdown[(index * 7) % hostileMarkdown.length]}\n\n${text}`
    expect(problemsIn(renderMarkdown(mixed)), mixed).toEqual([])
  }
})

test('attacks are harmless when they are sanitized directly', () => {
  for (const text of hostileMarkdown) expect(problemsIn(sanitise(text, { projectId: 7 })), text).toEqual([])
})

test('text that is rendered as plain text is harmless', () => {
  const tooMuch = `${'<b>'.repeat(2000)}<script>alert(1)</script>`
  const html = renderMarkdown(tooMuch)
  expect(html).toContain('&lt;script&gt;')
  expect(problemsIn(html)).toEqual([])
})

test('random text that looks like Markdown or HTML is harmless', () => {
  fc.assert(
    fc.property(anyHostileText, fc.boolean(), (text, inProject) => {
      expect(problemsIn(renderMarkdown(text, inProject ? { projectId: 7 } : {}))).toEqual([])
    }),
    { numRuns: Number(process.env['ALCOVE_TEST_FUZZ_RUNS'] ?? 40) * 100 },
  )
})

test('sanitizing random text is harmless and idempotent', () => {
  fc.assert(
    fc.property(anyHostileText, (text) => {
      const html = sanitise(text, {})
      expect(problemsIn(html)).toEqual([])
      expect(sanitise(html, {})).toBe(html)
    }),
    { numRuns: Number(process.env['ALCOVE_TEST_FUZZ_RUNS'] ?? 40) * 50 },
  )
})
