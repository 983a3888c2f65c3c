import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileMarkdown } from '../../testing/hostile/markdown.ts'
import { problemsIn } from '../../testing/markup.ts'
import { renderMarkdown } from './render.ts'
import { sanitise } from './sanitise.ts'

const secret = '3f9c0a1be27d4458a6b1c2d3e4f50617'

test('what looks for problems finds them', () => {
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

test('every known attack is harmless', () => {
  expect(hostileMarkdown.length).toBeGreaterThan(600)
  for (const text of hostileMarkdown) expect(problemsIn(renderMarkdown(text, { projectId: 7 })), text).toEqual([])
})

test('they are harmless inside each other and inside everything', () => {
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

test('they are harmless where they reach the sanitiser as they are', () => {
  for (const text of hostileMarkdown) expect(problemsIn(sanitise(text, { projectId: 7 })), text).toEqual([])
})

test('what is shown as plain text is harmless too', () => {
  const tooMuch = `${'<b>'.repeat(2000)}<script>alert(1)</script>`
  const html = renderMarkdown(tooMuch)
  expect(html).toContain('&lt;script&gt;')
  expect(problemsIn(html)).toEqual([])
})

const pieces = [
  ...[
    '<',
    '>',
    '</',
    '/>',
    '<a ',
    '</a>',
    '<img ',
    '<p>',
    '</p>',
    '<div>',
    '<script>',
    '</script>',
    '<style>',
    '<svg>',
    '</svg>',
  ],
  ...[
    '<math>',
    '<table>',
    '<td>',
    '</table>',
    '<li>',
    '<input ',
    '<video ',
    '<title>',
    '<textarea>',
    '<iframe srcdoc=',
    '<xmp>',
  ],
  ...[
    '<ul>',
    '<dl>',
    '<dd>',
    '<tr>',
    '<h1>',
    '<h2>',
    '<b>',
    '<span>',
    '</div>',
    '</ul>',
    '</tr>',
    '</b>',
    '<ruby>',
    '<rt>',
  ],
  ...['<!--', '-->', '<![CDATA[', ']]>', '<?', '?>', '<!'],
  ...[
    'href=',
    'src=',
    'id=',
    'class=',
    'name=',
    'title=',
    'style=',
    'onerror=',
    'on',
    'type=checkbox',
    'srcset=',
    'data-link=',
  ],
  ...['"', "'", '=', '`', '``', '```', '&', ';', '&#', '&#x', '&quot;', '&lt;', '&colon;', '&Tab;', '\\'],
  ...[
    'javascript:',
    'data:',
    'vbscript:',
    'http://',
    'mailto:',
    '//',
    ':',
    '/',
    '#',
    '?',
    '%',
    '@',
    '.mp4',
    '.mp3',
    '.svg',
  ],
  ...['[', ']', '(', ')', '![', '](', '][', ']:', '[^a]', '[^a]:', '[a]:', '{', '}', 'width=1', '{width='],
  ...[
    '\n',
    '\n\n',
    ' ',
    '    ',
    '\t',
    '\r',
    '\f',
    '\u0000',
    '\u00a0',
    '\u2028',
    '\u202e',
    '\ufeff',
    '\ud83d',
    '\ude00',
  ],
  ...[
    '*',
    '**',
    '_',
    '~~',
    '~',
    '|',
    '|-|',
    '\n|-|\n',
    '- ',
    '- [ ] ',
    '- [x] ',
    '1. ',
    '> ',
    '> [!note]',
    '# ',
    '---',
    ':tada:',
  ],
  ...['a', 'x', 'user-content-', 'location', 'alert(1)', `/uploads/${secret}/a.png`, 'gfm', 'language-', '{"', '"}'],
]
const hostile = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...hostileMarkdown), fc.constantFrom(...pieces)), { maxLength: 6 })
      .map((parts) => parts.join('')),
  },
)

test('anything that looks like Markdown or HTML comes out harmless', () => {
  fc.assert(
    fc.property(hostile, fc.boolean(), (text, inProject) => {
      expect(problemsIn(renderMarkdown(text, inProject ? { projectId: 7 } : {}))).toEqual([])
    }),
    { numRuns: Number(process.env['ALCOVE_TEST_FUZZ_RUNS'] ?? 40) * 100 },
  )
})

test('the sanitiser alone lets nothing through either, and leaves alone what it made', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const html = sanitise(text, {})
      expect(problemsIn(html)).toEqual([])
      expect(sanitise(html, {})).toBe(html)
    }),
    { numRuns: Number(process.env['ALCOVE_TEST_FUZZ_RUNS'] ?? 40) * 50 },
  )
})
