import { invalid } from '../../../platform/failure.ts'

/** Adds tags, removes them, or replaces all. The tags are as `readTags` returns them. */
export interface TagChange {
  action: 'tag' | 'untag' | 'set_tags'
  tags: readonly string[]
  comment?: string | undefined
}

/** Maximum number of tags of a vulnerability. */
export const maxTags = 20
/** Maximum number of characters of a tag. */
export const maxTagLength = 50

/** Tags with the same key are equal. */
export const tagKey = (name: string): string => name.normalize('NFC').toLowerCase()

/** Returns the tags trimmed, each once, in the order of their keys. Throws when one is invalid, or when there are too many. */
export function readTags(names: readonly string[]): string[] {
  const tags = withTags(
    [],
    names.map((name) => name.normalize('NFC').trim()),
  )
  for (const tag of tags) {
    const { length } = [...tag]
    if (length === 0) throw invalid({ tags: ['cannot be blank'] })
    if (length > maxTagLength) throw invalid({ tags: [`must have at most ${maxTagLength} characters each`] })
    if (/[,\p{Cc}]/u.test(tag)) throw invalid({ tags: ['cannot contain commas, line breaks or control characters'] })
  }
  if (tags.length > maxTags) throw tooMany()
  return tags
}

export const tooMany = () => invalid({ tags: [`a vulnerability has at most ${maxTags} tags`] })

/** Returns the tags after a change; `undefined` if it changes nothing, or if there would be too many. */
export function tagsAfter(before: readonly string[], { action, tags }: TagChange): readonly string[] | undefined {
  const after =
    action === 'tag' ? withTags(before, tags) : action === 'untag' ? without(before, tags) : withTags([], tags)
  return isSame(after, before) || after.length > maxTags ? undefined : after
}

export const isSame = (tags: readonly string[], others: readonly string[]): boolean =>
  tags.length === others.length && without(tags, others).length === 0

/** Returns true if the vulnerability would have too many tags after the change. */
export const exceedsTags = (before: readonly string[], { action, tags }: TagChange): boolean =>
  action === 'tag' && withTags(before, tags).length > maxTags

/** Returns the first tags and those of the others that they do not contain. */
export function withTags(tags: readonly string[], others: readonly string[]): string[] {
  const byKey = new Map<string, string>()
  for (const tag of [...tags, ...others]) if (!byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag)
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tag]) => tag)
}

/** Returns the tags that are not among the others. */
export function without(tags: readonly string[], others: readonly string[]): string[] {
  const keys = new Set(others.map(tagKey))
  return tags.filter((tag) => !keys.has(tagKey(tag)))
}

/** Changed tags as history entries record them. Empty without a difference. */
export function describeTags(before: readonly string[], after: readonly string[]): object {
  const [added, removed] = [without(after, before), without(before, after)]
  return {
    ...(added.length > 0 && { tags_added: added }),
    ...(removed.length > 0 && { tags_removed: removed }),
  }
}
