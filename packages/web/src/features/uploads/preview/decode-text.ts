/**
 * Decodes text by its byte order mark, else as UTF-8, else as Windows-1252. Returns undefined for binary content: it
 * contains NUL characters, or it is not UTF-8 and `isGuess` is set.
 */
export function decodeText(bytes: ArrayBuffer, isGuess: boolean): string | undefined {
  const [first, second] = new Uint8Array(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const text = utf8Of(bytes) ?? (isGuess ? undefined : new TextDecoder('windows-1252').decode(bytes))
  return text?.includes('\0') ? undefined : text
}

function utf8Of(bytes: ArrayBuffer): string | undefined {
  try {
    // `stream` accepts a truncated character at the end.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}
