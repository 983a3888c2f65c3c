import { isNode, LineCounter, parseDocument } from 'yaml'
import { isDeepYaml, repeatedKey } from '../../../../platform/yaml-depth.ts'
import { InvalidProjectFile } from '../project-file.ts'
import { isObject } from './ignored.ts'

export interface YamlFile {
  value: Record<string, unknown>
  /** Returns the line of a value, or of the closest one around it. */
  lineOf(path: readonly (string | number)[]): number
}

const maxLevels = 20
/** The parser takes about a second for a text of this length that is full of errors. */
const maxBytes = 64 * 1024

/** Parses a YAML file whose root is a mapping. Rejects aliases, because a few lines of them can expand to gigabytes. */
export function readYaml(text: string): YamlFile {
  if (Buffer.byteLength(text) > maxBytes) throw new InvalidProjectFile(1, 'a YAML file may have up to 64 KiB')
  if (isDeepYaml(text, maxLevels)) throw new InvalidProjectFile(1, 'it is nested too deep')
  const lines = new LineCounter()
  const document = parseDocument(text, {
    ...{ schema: 'core', logLevel: 'error', stringKeys: true, lineCounter: lines },
    // Describing the place of each error takes time in proportion to the whole text, and so does each comparison of keys.
    ...{ prettyErrors: false, uniqueKeys: false },
  })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw new InvalidProjectFile(lines.linePos(problem.pos[0]).line, firstLine(problem.message))
  const repeated = repeatedKey(document)
  if (repeated !== undefined) throw new InvalidProjectFile(lines.linePos(repeated).line, 'Map keys must be unique')
  const value = plainValue(() => document.toJS({ maxAliasCount: 0 }) as unknown)
  if (value !== null && !isObject(value)) throw new InvalidProjectFile(1, 'it must be a mapping')
  return {
    value: value ?? {},
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const node: unknown = document.getIn(path.slice(0, length), true)
        if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
      }
      return 1
    },
  }
}

function plainValue(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    throw new InvalidProjectFile(1, error instanceof Error ? firstLine(error.message) : 'it cannot be read')
  }
}

const firstLine = (message: string): string => (message.split('\n')[0] ?? '').replace(/:$/, '').slice(0, 200)
