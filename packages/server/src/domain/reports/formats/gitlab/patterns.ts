import type { Pattern } from '../problems/checks.ts'

// Patterns that match in linear time use the schema's expression. Where hostile input could cause backtracking, the
// test is written out and the expression serves only for the message.

const simple = (expression: RegExp, source = expression.source): Pattern => ({
  source,
  test: (text) => expression.test(text),
})

export const versionNumber = simple(/^[0-9]+\.[0-9]+\.[0-9]+$/)
export const webAddress = simple(/^https?:\/\/./, '^https?://.+')
export const linkAddress = simple(/^(?:https?|ftp):\/\/./, '^(https?|ftp)://.+')
export const second = simple(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/)
export const millisecond = simple(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/)

/** Image with a tag, such as `registry:5000/app:tag`, and an optional digest after another colon. */
export const taggedImage: Pattern = {
  source: '^[^:]+(:\\d+[^:]*)?:[^:]+(:[^:]+)?$',
  test: (text) => {
    const parts = text.split(':', 5)
    if (parts.length < 2 || parts.length > 4 || parts.includes('')) return false
    return parts.length < 4 || /^\d/.test(parts[1] ?? '')
  },
}

/** Image with a tag, in ASCII characters only and without a digest. */
export const plainTaggedImage: Pattern = {
  source: '^[a-zA-Z0-9/_.-]+(:\\d+[a-zA-Z0-9/_.-]*)?:[a-zA-Z0-9_.-]+$',
  test: (text) => {
    const [name, ...rest] = text.split(':', 4)
    const tag = rest.pop()
    const [port, ...surplus] = rest
    return (
      surplus.length === 0 &&
      /^[\w/.-]+$/.test(name ?? '') &&
      (port === undefined || /^\d[\w/.-]*$/.test(port)) &&
      /^[\w.-]+$/.test(tag ?? '')
    )
  },
}
