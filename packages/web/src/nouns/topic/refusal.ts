import { RequestFailed } from '@alcove/client'

export interface UnknownTopic {
  name: string
  /** Existing topics with similar names. */
  nearest: string[]
}

const pattern =
  /([^,]+) does not exist, and only administrators create topics(?:; the nearest are (.+?))?(?=, [^,]+ does not exist, and|\.?$)/g

/** Parses the error of a server where only administrators create topics: returns the unknown topics. */
export function unknownTopics(error: Error | null): UnknownTopic[] {
  const said = error instanceof RequestFailed ? (error.fields['topics'] ?? '') : ''
  return [...said.matchAll(pattern)].map(([, name = '', nearest]) => ({
    name: name.trim(),
    nearest: nearest?.split(', ') ?? [],
  }))
}
