import type { Route } from '../../route.ts'

/**
 * Returns the name of an operation in generated clients, such as `listProjectUploads` or `blockUser`: a verb, and the
 * nouns of the path.
 */
export function operationIdOf({ method, path, output }: Route): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '-')
  const last = segments.at(-1) ?? ''
  const isMember = last.startsWith(':')
  const isAction = ['POST', 'PUT', 'PATCH'].includes(method) && segments.at(-2)?.startsWith(':') && !isPlural(last)
  const nouns = segments
    .slice(0, isAction ? -1 : undefined)
    .flatMap((segment, index) =>
      segment.startsWith(':') ? [] : [segments[index + 1]?.startsWith(':') ? singular(segment) : segment],
    )
  if (isAction) return camelCase([last, ...nouns])
  if (method === 'POST') return camelCase(['create', ...nouns.slice(0, -1), singular(nouns.at(-1) ?? '')])
  if (method === 'PUT') return camelCase(['update', ...nouns])
  if (method === 'DELETE') return camelCase(['delete', ...nouns])
  return camelCase([!isMember && 'items' in output ? 'list' : 'get', ...nouns])
}

function singular(noun: string): string {
  if (noun.endsWith('ies')) return noun.replace(/ies$/, 'y')
  if (/(as|ch|x)es$/.test(noun)) return noun.slice(0, -2)
  return isPlural(noun) ? noun.slice(0, -1) : noun
}

const isPlural = (noun: string) => noun.endsWith('s') && !noun.endsWith('ss')

function camelCase(words: readonly string[]): string {
  const parts = words.flatMap((word) => word.split(/\W|_/)).filter(Boolean)
  return parts.map((part, index) => (index === 0 ? part : part[0]?.toUpperCase() + part.slice(1))).join('')
}
