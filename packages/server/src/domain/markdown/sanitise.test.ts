import { expect, test } from 'vitest'
import { sanitise } from './sanitise.ts'

// In a browser, each of these would close an element around the text.
test.each([
  ['a list item through a division', '<ul><li><div><li>x</div></ul>y', '<ul><li><div>x</div></li></ul>y'],
  ['a list item without a list', '<li>x</li>y', 'xy'],
  ['a definition', '<dl><dd><div><dd>x</div></dl>', '<dl><dd><div>x</div></dd></dl>'],
  ['a cell without a table', '<td>x</td></tr></table>y', 'xy'],
  ['a nested table', '<table><table><tr><td>x</table></table>y', '<table><tr><td>x</td></tr></table>y'],
  ['table content outside a cell', '<table><div><table></table></div>x</table>', '<table>x</table>'],
  ['end tags alone', '</div></section></td></li></p>x', '<p></p>x'],
  ['a nested link', '<a href="x"><b><a href="y">z</a></b></a>', null],
  ['a nested heading', '<h1><h2>x</h2></h1>', '<h1>x</h1>'],
])('sanitized HTML cannot escape from its container by %s', (_, html, clean) => {
  if (clean !== null) expect(sanitise(html, {})).toBe(clean)
  else expect(sanitise(html, {}).match(/<a /g)).toHaveLength(1)
})

test('a paragraph ends where a browser ends it', () => {
  expect(sanitise('<p>a<b>b<div>c</div>d</b>e</p>f', {})).toBe('<p>a<b>b</b></p><div>c</div>def')
})

test.each([' ', '\n', '\u{a0}', '\u{2003}', '\u{feff}'])('addresses lose %j around them', (blank) => {
  expect(sanitise(`<a href="${blank}page${blank}">x</a>`, {})).toMatch(/^<a href="page" /)
  expect(sanitise(`<a href="${blank}#part">x</a>`, {})).toMatch(/^<a href="#[^"]*part">/)
  expect(sanitise(`<a href="${blank}javascript:x">x</a>`, {})).toBe('<a>x</a>')
  expect(sanitise(`<img src="${blank}a.png${blank}">`, {})).toMatch(/src="a.png"/)
})

test('open tags are closed in order', () => {
  expect(sanitise('<div><p><b>x', {})).toBe('<div><p><b>x</b></p></div>')
  expect(sanitise('<b><i>x</b>y</i>', {})).toBe('<b><i>x</i></b>y')
})

test('valid tables, lists and definitions are unchanged', () => {
  for (const html of [
    '<table><caption>a</caption><thead><tr><th scope="col">b</th></tr></thead><tbody><tr><td colspan="2">c</td></tr></tbody></table>',
    '<table><tr><td><table><tr><td>a</td></tr></table></td></tr></table>',
    '<ul><li>a<ol start="3"><li value="4"><p>b</p></li></ol></li></ul>',
    '<dl><dt>a</dt><dd>b</dd></dl>',
    '<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>',
  ]) {
    expect(sanitise(html, {})).toBe(html)
  }
})

test('invisible elements are removed with their text', () => {
  expect(sanitise('a<script>b</script>c<style>d</style>e<svg><text>f</text></svg>g<iframe>h</iframe>i', {})).toBe(
    'acegi',
  )
  expect(sanitise('a<svg><b>x</b><svg>y</svg>z</svg>b', {})).toBe('ab')
  expect(sanitise('a<title>b', {})).toBe('a')
})

test('other elements are removed without their text', () => {
  expect(sanitise('<form><button>a</button><font color=red>b</font></form><x-y>c</x-y>', {})).toBe('abc')
})

test('an anchor name becomes an id', () => {
  expect(sanitise('<a name="top">x</a><a name="top">y</a>', {})).toBe('<a id="user-content-top">x</a><a>y</a>')
})
