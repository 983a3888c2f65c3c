import { Parser } from 'htmlparser2'

const voidTags = ['br', 'hr', 'img', 'input', 'wbr']
const tags = new Set([
  ...voidTags,
  ...'a abbr audio b bdi bdo blockquote caption cite code dd del details dfn div dl dt em figcaption figure'.split(' '),
  ...'h1 h2 h3 h4 h5 h6 i ins kbd li mark ol p pre q rp rt ruby s samp section small span strike strong'.split(' '),
  ...'sub summary sup table tbody td tfoot th thead time tr tt u ul var video'.split(' '),
])

const size = { width: /^\d{1,4}(px|%)?$/, height: /^\d{1,4}(px|%)?$/ }
const align = { align: /^(left|center|right)$/ }
const cell = { ...align, colspan: /^\d{1,2}$/, rowspan: /^\d{1,2}$/, scope: /^(row|col)(group)?$/ }
const player = { ...size, src: /./, 'aria-label': /./, controls: /^$/, preload: /^metadata$/ }
const number = /^-?\d{1,9}$/
const onAnyTag = {
  class: /^[\w#+.-]+( [\w#+.-]+)*$/,
  id: /^user-content-\S+$/,
  title: /./s,
  lang: /^[a-zA-Z0-9-]+$/,
  dir: /^(ltr|rtl|auto)$/,
}
const attributes: Record<string, Record<string, RegExp>> = {
  a: { href: /./, rel: /^nofollow noreferrer noopener$/, 'aria-label': /./s, 'data-link': /^true$/ },
  img: { ...size, ...align, src: /./, alt: /(?:)/, loading: /^lazy$/ },
  input: { type: /^checkbox$/, disabled: /^$/, checked: /^$/, 'aria-label': /./s },
  audio: player,
  video: player,
  details: { open: /^$/ },
  li: { value: number },
  ol: { start: number, reversed: /^$/ },
  td: cell,
  th: cell,
  ...Object.fromEntries('p div table h1 h2 h3 h4 h5 h6'.split(' ').map((name) => [name, align])),
}
const classes =
  /^(anchor|footnotes|footnote-(ref|backref)|(media|video|audio)-container|task-list(-item(-checkbox)?)?|inapplicable|gfm|markdown-alert(-(title|note|tip|important|caution|warning))?|language-[\w#+.-]+)$/

/** Returns forbidden content in rendered Markdown, according to lists that are independent of the renderer. */
export function problemsIn(html: string): string[] {
  const problems: string[] = []
  const ids = new Set<string>()
  const parser = new Parser({
    onopentag(name, written) {
      if (!tags.has(name)) problems.push(`<${name}>`)
      for (const [attribute, value] of Object.entries(written)) {
        const problem = problemWith(name, attribute, value)
        if (problem) problems.push(`<${name} ${attribute}="${value}">: ${problem}`)
      }
      const { id, type, rel, href = '#' } = written
      if (id !== undefined && ids.has(id)) problems.push(`the id ${id} is there twice`)
      ids.add(id ?? '')
      if (name === 'input' && (type !== 'checkbox' || !('disabled' in written))) problems.push('an input takes input')
      if (name === 'a' && !href.startsWith('#') && !rel) problems.push(`the link to ${href} has no rel`)
    },
    onclosetag(name, isImplied) {
      if (isImplied && !voidTags.includes(name)) problems.push(`<${name}> is not closed`)
    },
    oncomment: (text) => problems.push(`<!--${text}-->`),
    onprocessinginstruction: (_name, text) => problems.push(`<${text}>`),
  })
  parser.end(html)
  return problems
}

function problemWith(tag: string, attribute: string, value: string): string | undefined {
  const own = attributes[tag] ?? {}
  if (attribute === 'data-canonical-src') return /^\/uploads\/[0-9a-f]{32}\//.test(value) ? undefined : 'is no upload'
  const pattern = Object.entries({ ...onAnyTag, ...own }).find(([name]) => name === attribute)?.[1]
  if (!pattern) return 'is not allowed'
  if (!pattern.test(value)) return 'has a value that is not allowed'
  if (attribute === 'class' && value.split(' ').some((name) => !classes.test(name))) return 'has another class'
  if (attribute === 'href' && /^#./.test(value) && !/^#user-content-./.test(value)) return 'leads into the page'
  if (attribute !== 'href' && attribute !== 'src') return undefined
  return leadsTo(value, attribute === 'href' ? ['http:', 'https:', 'mailto:'] : ['http:', 'https:'])
}

/** Parses a URL as browsers do. Invalid URLs are harmless. */
function leadsTo(address: string, schemes: readonly string[]): string | undefined {
  const base = 'https://alcove.example/somewhere'
  if (!URL.canParse(address, base)) return undefined
  const { protocol } = new URL(address, base)
  return schemes.includes(protocol) ? undefined : `leads to ${protocol}`
}
