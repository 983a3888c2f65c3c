interface DependencyFlaw {
  title: string
  /** Advisories, the first of which is the primary identifier. */
  names: readonly string[]
  /** Name of an npm package. */
  pkg: string
  version?: string
  severity?: string
}

/** Returns a report of vulnerable dependencies by a scanner. */
export const dependencyReport = (scanner: string, flaws: readonly DependencyFlaw[]) => ({
  version: '15.2.1',
  scan: {
    type: 'dependency_scanning',
    status: 'success',
    start_time: '2026-01-01T00:00:00',
    end_time: '2026-01-01T00:00:01',
    scanner: { id: scanner, name: scanner, version: '1', vendor: { name: 'Acme' } },
    analyzer: { id: scanner, name: scanner, version: '1', vendor: { name: 'Acme' } },
  },
  vulnerabilities: flaws.map(({ title, names, pkg, version = '1.0.0', severity = 'High' }) => ({
    id: `${scanner}-${title}`,
    name: title,
    severity,
    identifiers: names.map((name) => ({ type: name.split('-')[0]?.toLowerCase(), name, value: name })),
    location: { file: `${title}/package-lock.json`, dependency: { package: { name: pkg }, version } },
  })),
})
