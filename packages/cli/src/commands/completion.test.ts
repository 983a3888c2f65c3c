import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder, run } from '../testing/command-run.ts'

test.each([
  [['alcove', 'up'], ['upload']],
  [['alcove', 'ser'], ['serve']],
  [['alcove', 'upload', '--fail'], ['--fail-on']],
  [['alcove', 'topics', 'imp'], ['import']],
  [['alcove', 'topics', 'import', '--pru'], ['--prune']],
  [['alcove', 'import', 'gitl'], ['gitlab']],
  [['alcove', 'import', 'def'], ['defectdojo']],
  [['alcove', 'import', 'gitlab', '--dry'], ['--dry-run']],
])('bash completes %j', async (words, completions) => {
  const place = await folder()
  await writeFile(join(place, 'completion.bash'), (await run(['completion', 'bash'])).stdout)
  const script = `source ./completion.bash
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _alcove; printf '%s\\n' "\${COMPREPLY[@]}"`
  const printed = execFileSync('bash', ['-c', script], { cwd: place, encoding: 'utf8' })
  expect(printed.trim().split('\n')).toEqual(completions)
})

test('zsh and fish have every command and option', async () => {
  const zsh = (await run(['completion', 'zsh'])).stdout
  expect(zsh).toContain('bashcompinit')
  expect(zsh).toContain('--fail-on')
  const fish = (await run(['completion', 'fish'])).stdout.split('\n')
  expect(fish).toContain("complete -c alcove -n '__fish_use_subcommand' -f -a upload")
  expect(fish).toContain("complete -c alcove -n '__fish_seen_subcommand_from upload' -l fail-on")
  expect(await run(['completion', 'tcsh'])).toMatchObject({ code: 2 })
})

test('the completion has every command of the server that the installed program knows', async () => {
  const program = await readFile(new URL('../../../../bin/alcove.js', import.meta.url), 'utf8')
  const [, list = ''] = /const serverCommands = \[([^\]]*)\]/.exec(program) ?? []
  const commands = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name)
  expect(commands).toContain('serve')
  const fish = (await run(['completion', 'fish'])).stdout.split('\n')
  for (const name of commands) expect(fish).toContain(`complete -c alcove -n '__fish_use_subcommand' -f -a ${name}`)
})
