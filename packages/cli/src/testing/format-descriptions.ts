import type { Element } from './xml.ts'

/** Elements and attributes of JUnit XML that GitLab, Jenkins, Azure and Bitbucket read. */
interface ElementRule {
  attributes: readonly string[]
  required: readonly string[]
  children: readonly string[]
}

const counts = ['tests', 'failures', 'errors', 'skipped', 'time']
const problem: ElementRule = { attributes: ['message', 'type'], required: ['message'], children: [] }
const junit: Readonly<Record<string, ElementRule>> = {
  testsuites: { attributes: ['name', ...counts], required: [], children: ['testsuite'] },
  testsuite: {
    attributes: ['name', 'timestamp', 'hostname', ...counts],
    required: ['name', 'tests'],
    children: ['properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    attributes: ['name', 'classname', 'time', 'file', 'line'],
    required: ['name', 'classname'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: problem,
  error: problem,
  'system-out': { attributes: [], required: [], children: [] },
}

/** Returns what violates the description of JUnit XML: unknown or missing parts, and wrong counts. */
export function junitProblems(root: Element): string[] {
  const own = root.name === 'testsuites' ? [] : [`the root is ${root.name}`]
  return [...own, ...problemsOf(root)]
}

function problemsOf(element: Element): string[] {
  const { name, attributes, children } = element
  const rule = junit[name]
  if (!rule) return [`unknown element ${name}`]
  const say = (text: string) => `${name}: ${text}`
  return [
    ...Object.keys(attributes).flatMap((key) => (rule.attributes.includes(key) ? [] : say(`unknown attribute ${key}`))),
    ...rule.required.flatMap((key) => (attributes[key] ? [] : say(`${key} is missing`))),
    ...children.flatMap((child) => (rule.children.includes(child.name) ? [] : say(`unknown element ${child.name}`))),
    ...children.slice(1).flatMap((child, index) => {
      const [before, after] = [children[index]?.name ?? '', child.name].map((one) => rule.children.indexOf(one))
      return before !== undefined && after !== undefined && before > after ? say(`${child.name} is too late`) : []
    }),
    ...wrongCounts(element).map(say),
    ...(children.length > 0 && element.text.trim() !== '' ? [say('text between elements')] : []),
    ...children.flatMap(problemsOf),
  ]
}

/** Compares the counts of a suite with its cases. */
function wrongCounts(element: Element): string[] {
  const cases = casesOf(element)
  const having = (name: string) => cases.filter(({ children }) => children.some((child) => child.name === name)).length
  const actual: Record<string, number> = {
    tests: cases.length,
    failures: having('failure'),
    errors: having('error'),
    skipped: having('skipped'),
  }
  return Object.entries(actual).flatMap(([name, count]) => {
    const written = element.name.startsWith('testsuite') ? element.attributes[name] : undefined
    return written === undefined || written === String(count) ? [] : [`${name} is ${written}, not ${count}`]
  })
}

const casesOf = ({ children }: Element): Element[] =>
  children.flatMap((child) => (child.name === 'testcase' ? [child] : casesOf(child)))

const properties = ['file', 'line', 'endLine', 'col', 'endColumn', 'title']

/** Returns the lines that are no workflow command for an annotation, as GitHub describes it. */
export function annotationProblems(output: string): string[] {
  return output.split('\n').filter((line) => line !== '' && !isAnnotation(line))
}

function isAnnotation(line: string): boolean {
  const [, list] = /^::(?:error|warning|notice)(?: ([^:]*))?::.+$/.exec(line) ?? []
  if (!line.startsWith('::error') && !line.startsWith('::warning') && !line.startsWith('::notice')) return false
  if (list === undefined) return /^::(?:error|warning|notice)::.+$/.test(line)
  const pairs = new Map(list.split(',').map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)]))
  const [first, last] = ['line', 'endLine'].map((name) => Number(pairs.get(name) ?? 1))
  const isPlaced = pairs.has('file') || !pairs.has('line')
  const isOrdered = first !== undefined && last !== undefined && first >= 1 && (!pairs.has('endLine') || last >= first)
  const isKnown = [...pairs].every(([name, value]) => properties.includes(name) && value !== '')
  return isKnown && isPlaced && isOrdered && (pairs.has('line') || !pairs.has('endLine'))
}
