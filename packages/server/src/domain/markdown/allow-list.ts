import { isAllowedLink, isAllowedMedia } from './links.ts'

/** Returns the allowed form of an attribute's value, or `undefined` to drop the attribute. */
type Check = (value: string) => string | undefined
export type Attributes = Readonly<Record<string, Check>>

const matching =
  (pattern: RegExp): Check =>
  (value) =>
    pattern.test(value) ? value : undefined
const anyText: Check = (value) => (value.trim() === '' ? undefined : value)
const present: Check = () => ''
const whole = matching(/^-?\d{1,9}$/)
/** Maximum span of 99 cells, because browsers allocate as many as are given. */
const span = matching(/^[1-9]\d?$/)
const length = matching(/^\d{1,4}(px|%)?$/)
const align = matching(/^(left|center|right)$/)
const source: Check = (value) => {
  const address = value.trim()
  return address !== '' && isAllowedMedia(address) ? address : undefined
}

const classes: ReadonlySet<string> = new Set([
  ...['anchor', 'footnotes', 'footnote-ref', 'footnote-backref'],
  ...['media-container', 'video-container', 'audio-container'],
  ...['task-list', 'task-list-item', 'task-list-item-checkbox', 'inapplicable'],
  ...['markdown-alert', 'markdown-alert-title', 'markdown-alert-note', 'markdown-alert-tip'],
  ...['markdown-alert-important', 'markdown-alert-caution', 'markdown-alert-warning'],
])
const language = /^language-[\w#+.-]{1,40}$/

/** Returns the allowed classes. Others could make text look like part of the surrounding page. */
function allowedClasses(value: string): string | undefined {
  const kept = value.split(/\s+/).filter((name) => classes.has(name) || language.test(name))
  return kept.length > 0 ? kept.join(' ') : undefined
}

const prefix = 'user-content-'

/** Prefixes an id, so that scripts and other parts of the page cannot mistake it for their own. */
function prefixed(id: string): string {
  return id.startsWith(prefix) && id !== prefix ? id : prefix + id
}

const id: Check = (value) => (/^\S{1,150}$/.test(value) ? prefixed(value) : undefined)

/** Returns an allowed link. Prefixes links within the text like the ids that they refer to. */
function link(value: string): string | undefined {
  const address = value.trim()
  if (/^#./s.test(address)) return `#${prefixed(address.slice(1))}`
  return address !== '' && isAllowedLink(address) ? address : undefined
}

export const onAnyTag: Attributes = {
  class: allowedClasses,
  id,
  title: anyText,
  lang: matching(/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i),
  dir: matching(/^(ltr|rtl|auto)$/),
}

const size: Attributes = { width: length, height: length }
const player: Attributes = { ...size, src: source, 'aria-label': anyText }
const cell: Attributes = { align, colspan: span, rowspan: span, scope: matching(/^(row|col)(group)?$/) }

const plain =
  `abbr b bdi bdo blockquote br caption cite code dd del dfn dl dt em figcaption figure hr i ins kbd mark pre q rp rt
  ruby s samp section small span strike strong sub summary sup tbody tfoot thead tr tt u ul var wbr`.split(/\s+/)
const aligned = ['p', 'div', 'table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']

/** Allowed tags, with their attributes besides those of every tag. */
export const tags: ReadonlyMap<string, Attributes> = new Map<string, Attributes>([
  ...plain.map((name) => [name, {}] as const),
  ...aligned.map((name) => [name, { align }] as const),
  ['a', { href: link, 'aria-label': anyText }],
  ['audio', player],
  ['details', { open: present }],
  ['img', { ...size, align, src: source, alt: (value) => value }],
  ['input', { checked: present, 'aria-label': anyText }],
  ['li', { value: whole }],
  ['ol', { start: whole, reversed: present }],
  ['td', cell],
  ['th', cell],
  ['video', player],
])
