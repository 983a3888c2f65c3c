import { existsSync, readFileSync } from 'node:fs'

/** Returns the version of the installed program, whose package contains this file. */
export function readVersion(): string {
  for (let file = new URL('package.json', import.meta.url); file.pathname !== '/package.json'; ) {
    if (existsSync(file)) {
      const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string } // ours
      if (name === 'alcove') return version
    }
    file = new URL('../package.json', file)
  }
  return 'unknown'
}
