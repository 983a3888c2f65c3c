import { RequestFailed } from '@alcove/client'

export interface UnknownTopic {
  name: string
  /** Existing ones that are like it. */
  nearest: string[]
}

const pattern =
  /([^,]+) does not exist, and only administrators create topics(?:; the nearest are (.+?))?(?=, [^,]+ does not exist, and|\.?$)/g

/** What a server whose topics are given said of those that it does not know. */
export function unknownTopics(error: Error | null): UnknownTopic[] {
  const said = error instanceof RequestFailed ? (error.fields['topics'] ?? '') : ''
  return [...said.matchAll(pattern)].map(([, name = '', nearest]) => ({
    name: name.trim(),
    nearest: nearest?.split(', ') ?? [],
  }))
}
