import fc from 'fast-check'
import { hostileMarkdown } from './markdown.ts'

const secret = '3f9c0a1be27d4458a6b1c2d3e4f50617'
const pieces = [
  ...['<', '>', '</', '/>', '<a ', '</a>', '<img ', '<p>', '</p>', '<div>', '<script>', '</script>', '<style>'],
  ...['<svg>', '</svg>'],
  ...['<math>', '<table>', '<td>', '</table>', '<li>', '<input ', '<video ', '<title>', '<textarea>'],
  ...['<iframe srcdoc=', '<xmp>'],
  ...['<ul>', '<dl>', '<dd>', '<tr>', '<h1>', '<h2>', '<b>', '<span>', '</div>', '</ul>', '</tr>', '</b>', '<ruby>'],
  ...['<rt>'],
  ...['<!--', '-->', '<![CDATA[', ']]>', '<?', '?>', '<!'],
  ...['href=', 'src=', 'id=', 'class=', 'name=', 'title=', 'style=', 'onerror=', 'on', 'type=checkbox', 'srcset='],
  ...['data-link='],
  ...['"', "'", '=', '`', '``', '```', '&', ';', '&#', '&#x', '&quot;', '&lt;', '&colon;', '&Tab;', '\\'],
  ...['javascript:', 'data:', 'vbscript:', 'http://', 'mailto:', '//', ':', '/', '#', '?', '%', '@', '.mp4', '.mp3'],
  ...['.svg'],
  ...['[', ']', '(', ')', '![', '](', '][', ']:', '[^a]', '[^a]:', '[a]:', '{', '}', 'width=1', '{width='],
  ...['\n', '\n\n', ' ', '    ', '\t', '\r', '\f', '\u0000', '\u00a0', '\u2028', '\u202e', '\ufeff', '\ud83d'],
  ...['\ude00'],
  ...['*', '**', '_', '~~', '~', '|', '|-|', '\n|-|\n', '- ', '- [ ] ', '- [x] ', '1. ', '> ', '> [!note]', '# '],
  ...['---', ':tada:'],
  ...['a', 'x', 'user-content-', 'location', 'alert(1)', `/uploads/${secret}/a.png`, 'gfm', 'language-', '{"', '"}'],
]
/** Random concatenation of hostile Markdown, pieces of HTML and Markdown, and arbitrary text. */
export const anyHostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...hostileMarkdown), fc.constantFrom(...pieces)), { maxLength: 6 })
      .map((parts) => parts.join('')),
  },
)
