import { expect, test } from 'vitest'
import { renderMarkdown } from './render.ts'

const secret = '3f9c0a1be27d4458a6b1c2d3e4f50617'
const upload = `/uploads/${secret}`
const expanded = `/-/project/7/uploads/${secret}`
const rel = 'rel="nofollow noreferrer noopener"'

const inProject = (text: string) => renderMarkdown(text, { projectId: 7 }).trim()
const plain = (text: string) => renderMarkdown(text).trim()

test('a link to an upload gets its full path and keeps the original address', () => {
  expect(inProject(`[notes](${upload}/notes.txt)`)).toBe(
    `<p><a href="${expanded}/notes.txt" class="gfm" data-canonical-src="${upload}/notes.txt" data-link="true" ${rel}>notes</a></p>`,
  )
})

test('an image of an upload gets its full path', () => {
  expect(inProject(`![plan](${upload}/floor_plan.png "Ground floor")`)).toBe(
    `<p><img src="${expanded}/floor_plan.png" alt="plan" title="Ground floor" class="gfm" data-canonical-src="${upload}/floor_plan.png" loading="lazy"></p>`,
  )
})

test('an upload in an HTML tag is resolved as in Markdown', () => {
  expect(inProject(`<img src="${upload}/a.png">`)).toContain(`src="${expanded}/a.png"`)
  expect(inProject(`<a href="${upload}/a.pdf">a</a>`)).toContain('data-link="true"')
  expect(inProject(`<a href="x" data-link="true" data-canonical-src="y">a</a>`)).toBe(`<p><a href="x" ${rel}>a</a></p>`)
})

test('uploads are resolved for a project or a group, and not without one', () => {
  expect(renderMarkdown(`![a](${upload}/a.png)`, { groupId: 3 })).toContain(`src="/-/group/3/uploads/${secret}/a.png"`)
  expect(plain(`![a](${upload}/a.png)`)).toBe(`<p><img src="${upload}/a.png" alt="a" loading="lazy"></p>`)
})

test('origin makes addresses of uploads absolute', () => {
  const html = renderMarkdown(`[a](${upload}/a.txt) [b](/other)`, { projectId: 7, origin: 'https://git.example' })
  expect(html).toContain(`href="https://git.example${expanded}/a.txt"`)
  expect(html).toContain('href="/other"')
})

test('video and audio are embedded with a link as fallback', () => {
  const href = `${expanded}/tour.mp4`
  const gfm = (name: string) => `class="gfm" data-canonical-src="${upload}/${name}"`
  expect(inProject(`![tour](${upload}/tour.mp4){width=50%}`)).toBe(
    `<p><span class="media-container video-container"><video src="${href}" width="50%" aria-label="tour" ${gfm('tour.mp4')} controls preload="metadata"></video>` +
      `<a href="${href}" ${gfm('tour.mp4')} data-link="true" ${rel}>tour</a></span></p>`,
  )
  expect(plain('![](https://example.com/bell.OGG?x=1)')).toBe(
    '<p><span class="media-container audio-container"><audio src="https://example.com/bell.OGG?x=1" controls preload="metadata"></audio>' +
      `<a href="https://example.com/bell.OGG?x=1" ${rel}>bell.OGG</a></span></p>`,
  )
  // A link cannot contain another link.
  expect(plain('[![a](x.mp4)](y)').match(/<a /g)).toHaveLength(1)
  expect(plain('![a](x.svg)')).toContain('<img')
})

test('images accept width and height, and other braces are text', () => {
  expect(plain('![a](b.png){width=100 height="40px"}!')).toBe(
    '<p><img src="b.png" alt="a" width="100" height="40px" loading="lazy">!</p>',
  )
  for (const text of ['Set {name}', '# Use {braces}', '- item {x}', '![a](b.png){onerror=1}', '`code`{x=1}']) {
    expect(plain(text)).toContain(/\{.*\}/.exec(text)?.[0])
  }
})

test('table columns are aligned by attribute', () => {
  expect(plain('| a | b |\n|:-:|---|\n| 1 | 2 |')).toBe(
    '<table>\n<thead>\n<tr>\n<th align="center">a</th>\n<th>b</th>\n</tr>\n</thead>\n' +
      '<tbody>\n<tr>\n<td align="center">1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>',
  )
})

test('tasks are checkboxes with a label', () => {
  const box = 'class="task-list-item-checkbox"'
  expect(plain('- [ ] Buy *milk*\n- [x] Cook\n- [~] Bake\n- plain')).toBe(
    '<ul class="task-list">\n' +
      `<li class="task-list-item"><input ${box} aria-label="Buy milk" type="checkbox" disabled> Buy <em>milk</em></li>\n` +
      `<li class="task-list-item"><input ${box} aria-label="Cook" checked type="checkbox" disabled> Cook</li>\n` +
      `<li class="task-list-item inapplicable"><input ${box} aria-label="Bake" type="checkbox" disabled> <del>Bake</del></li>\n` +
      '<li>plain</li>\n</ul>',
  )
  expect(plain('1. [X] a\n\n   b')).toContain('checked')
  expect(plain('- [y] a\n- [x]b\n\n[ ] c')).not.toContain('<input')
})

test('only a list with tasks is a task list', () => {
  const html = plain('- a\n  - [ ] b\n- c\n\n1. d')
  expect(html.match(/class="task-list"/g)).toHaveLength(1)
  expect(html).toMatch(/^<ul>\n<li>a\n<ul class="task-list">/)
})

test('footnotes are numbered by their first reference and link back', () => {
  const html = plain(
    'B[^b] A[^a] B again[^B]\n\n[^a]: First\n[^b]: Second\n    goes on\n\n    - list\n[^c]: nobody asks',
  )
  expect(html).toBe(
    '<p>B<sup class="footnote-ref"><a href="#user-content-fn-1" id="user-content-fnref-1">1</a></sup> ' +
      'A<sup class="footnote-ref"><a href="#user-content-fn-2" id="user-content-fnref-2">2</a></sup> ' +
      'B again<sup class="footnote-ref"><a href="#user-content-fn-1" id="user-content-fnref-1-2">1</a></sup></p>\n' +
      '<section class="footnotes">\n<ol>\n' +
      '<li id="user-content-fn-1">\n<p>Second\ngoes on</p>\n<ul>\n<li>list</li>\n</ul>\n' +
      ' <a href="#user-content-fnref-1" class="footnote-backref" aria-label="Back to reference 1">\u21a9\ufe0e</a>' +
      ' <a href="#user-content-fnref-1-2" class="footnote-backref" aria-label="Back to reference 1-2">\u21a9\ufe0e</a></li>\n' +
      '<li id="user-content-fn-2">\n<p>First <a href="#user-content-fnref-2" class="footnote-backref" aria-label="Back to reference 2">\u21a9\ufe0e</a></p>\n</li>\n' +
      '</ol>\n</section>',
  )
})

test('a footnote can refer to another one and to itself', () => {
  const html = plain('[^a]\n\n[^a]: see [^b]\n\n[^b]: see [^a] and [^b]')
  expect(html.match(/<li /g)).toHaveLength(2)
  expect(html.match(/class="footnote-backref"/g)).toHaveLength(4)
  expect(plain('[^a] without a note')).toBe('<p>[^a] without a note</p>')
})

test.each(['note', 'tip', 'important', 'caution', 'warning'])('a quote that starts with [!%s] is an alert', (kind) => {
  const name = kind.charAt(0).toUpperCase() + kind.slice(1)
  expect(plain(`> [!${kind.toUpperCase()}]\n> Read *this*.`)).toBe(
    `<div class="markdown-alert markdown-alert-${kind}">\n<p class="markdown-alert-title">${name}</p>\n<p>Read <em>this</em>.</p>\n</div>`,
  )
})

test('an alert can have a title, no text, and nested quotes', () => {
  expect(plain('> [!warning] Data is *lost*')).toBe(
    '<div class="markdown-alert markdown-alert-warning">\n<p class="markdown-alert-title">Data is <em>lost</em></p>\n</div>',
  )
  expect(plain('> [!tip]\n> a\n>\n> > b')).toContain('<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</div>')
  expect(plain('> [!other]\n> a')).toBe('<blockquote>\n<p>[!other]\na</p>\n</blockquote>')
})

test('headings have unique anchors', () => {
  const heading = (id: string, title: string) =>
    `<h2 id="user-content-${id}">${title}<a class="anchor" href="#user-content-${id}" aria-label="Link to heading '${title}'"></a></h2>`
  expect(plain('## Größe, 2. Teil!\n## a  - b\n## a b\n## 42')).toBe(
    [
      heading('größe-2-teil', 'Größe, 2. Teil!'),
      heading('a-b', 'a  - b'),
      heading('a-b-1', 'a b'),
      heading('anchor-42', '42'),
    ].join('\n'),
  )
  expect(plain('[there](#a-b)')).toBe('<p><a href="#user-content-a-b">there</a></p>')
})

test('emoji names are replaced, except inside words and numbers', () => {
  expect(plain(':tada: (:+1:) 12:100:30 a:smile: `:tada:` :no_such: :)')).toBe(
    '<p>🎉 (👍) 12:100:30 a:smile: <code>:tada:</code> :no_such: :)</p>',
  )
})

test('URLs and email addresses become links, filenames do not', () => {
  expect(plain('https://example.com/a_b_c and me@example.com and README.md')).toBe(
    `<p><a href="https://example.com/a_b_c" ${rel}>https://example.com/a_b_c</a> and ` +
      `<a href="mailto:me@example.com" ${rel}>me@example.com</a> and README.md</p>`,
  )
})

test('allowed HTML tags are kept', () => {
  const text =
    '<details open><summary>More</summary>\n\nPress <kbd>Ctrl</kbd>, H<sub>2</sub>O\n\n</details>\n\n' +
    '<p align="center"><img src="https://example.com/a.png" width="100"></p>'
  expect(plain(text)).toBe(
    '<details open><summary>More</summary>\n<p>Press <kbd>Ctrl</kbd>, H<sub>2</sub>O</p>\n</details>\n' +
      '<p align="center"><img src="https://example.com/a.png" width="100" loading="lazy"></p>',
  )
  expect(plain('~~gone~~ <ins>new</ins>')).toBe('<p><del>gone</del> <ins>new</ins></p>')
})

test('code keeps its language and its characters', () => {
  expect(plain('```ts\nif (a < b && c) {}\n```')).toBe(
    '<pre><code class="language-ts">if (a &lt; b &amp;&amp; c) {}\n</code></pre>',
  )
})

test('empty text is rendered as empty', () => {
  expect(renderMarkdown('')).toBe('')
  expect(renderMarkdown(' \n\t')).toBe('')
})
