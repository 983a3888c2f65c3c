import type { MarkdownIt } from 'markdown-it'
import names from 'markdown-it-emoji/lib/data/full.mjs'

const shortcode = /:([a-z0-9_+-]{1,60}):(?![\p{L}\p{N}:])/uy
const colon = ':'.charCodeAt(0)

/** Replaces `:tada:` with the emoji, unless it is part of a longer text such as `12:100:30`. */
export function emoji(parser: MarkdownIt): void {
  parser.inline.ruler.after('linkify', 'emoji', (state, silent) => {
    const { src, pos } = state
    if (src.charCodeAt(pos) !== colon || /[\p{L}\p{N}:]/u.test(src[pos - 1] ?? '')) return false
    shortcode.lastIndex = pos
    const [written = '', name = ''] = shortcode.exec(src) ?? []
    if (!Object.hasOwn(names, name)) return false
    if (!silent) state.push('text_special', '', 0).content = names[name] ?? ''
    state.pos = pos + written.length
    return true
  })
}
