import { execFileSync } from 'node:child_process'

// dependency-cruiser reports no violation when it cannot read the sources, so the number of modules is checked too.
const output = execFileSync(
  'npx',
  [
    'depcruise',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'packages/server/src',
    'packages/cli/src',
  ],
  { encoding: 'utf8', maxBuffer: 512 * 1024 * 1024 },
)
const { summary } = JSON.parse(output) as {
  summary: {
    violations: { from: string; to: string; rule: { name: string } }[]
    totalCruised: number
    totalDependenciesCruised: number
  }
}
for (const { from, to, rule } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`)
if (summary.violations.length > 0) process.exit(1)
if (summary.totalCruised < 100 || summary.totalDependenciesCruised < 300) {
  console.error(`only ${summary.totalCruised} modules were read: the import rules were not checked`)
  process.exit(1)
}
console.log(`import rules hold in ${summary.totalCruised} modules`)
