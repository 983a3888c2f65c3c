/** The text behind percent signs; unchanged where they hold no text, or a NUL that could not be stored. */
export function decodedUri(uri: string): string {
  try {
    const text = decodeURIComponent(uri)
    return text.includes('\0') ? uri : text
  } catch {
    return uri
  }
}
