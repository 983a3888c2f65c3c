import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

// The colours of severities stand only in CSS rules of that severity, or of the grade that has its colour.
const severityColor = /var\(--(critical|high|medium|low)(?:-soft)?\)/g
const gradeOf: Readonly<Record<string, string>> = {
  critical: 'gradeF',
  high: 'gradeD',
  medium: 'gradeC',
  low: 'gradeB',
}

const files = execFileSync('git', ['ls-files', 'packages/web/src/*.css'], { encoding: 'utf8' })
  .split('\n')
  .filter(Boolean)
let uses = 0
const problems: string[] = []
for (const file of files) {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
  for (const [, selector = '', declarations = ''] of text.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    for (const [, severity = ''] of declarations.matchAll(severityColor)) {
      uses++
      const own = new RegExp(`\\.(?:${severity}|${gradeOf[severity]})\\b`)
      if (!own.test(selector)) problems.push(`${file}: ${selector.trim()} has the color of the severity ${severity}`)
    }
  }
}
if (uses === 0) problems.push('no rule has the color of a severity')
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`${uses} uses of severity colors are in rules of severities and grades`)
