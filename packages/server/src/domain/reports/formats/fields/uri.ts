/** Decodes percent escapes. Returns the URI unchanged if they are invalid or encode NUL, which cannot be stored. */
export function decodedUri(uri: string): string {
  try {
    const text = decodeURIComponent(uri)
    return text.includes('\0') ? uri : text
  } catch {
    return uri
  }
}
