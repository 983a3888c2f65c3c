const segment = /^[a-z0-9_.-]+$/

/** Throws unless the key is one an `ObjectStore` takes: a wrong key is a bug of ours, never of a request. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new Error(`not an object key: ${JSON.stringify(key)}`)
}

export function isKey(key: string): boolean {
  const valid = key.length <= 200 && key.split('/').every((part) => segment.test(part) && !/^\.+$/.test(part))
  return valid && !key.includes('..')
}
