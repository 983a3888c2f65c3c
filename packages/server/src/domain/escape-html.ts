const maxLineCharacters = 500

/**
 * Returns the text as one line, without control characters and without characters that change the direction or the
 * visibility of others. Text of reports may be hostile, and a line break could imitate another part of a document.
 */
export function oneLine(text: string): string {
  const plain = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
  return plain.length > maxLineCharacters ? `${plain.slice(0, maxLineCharacters - 1)}…` : plain
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Returns the text as one line for HTML and XML: for elements and for attributes in quotes. */
export function escapeHtml(text: string): string {
  return oneLine(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}
