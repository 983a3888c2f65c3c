import type { Command, Option } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Commands of the server, which are not declared here. */
const serverCommands = [
  'serve',
  'demo',
  'migrate',
  'doctor',
  'backup',
  'restore',
  'transfer',
  'admin',
  'objects',
  'audit',
  'feeds',
]

/** A command with the words that may follow it. */
interface Completed {
  /** Words after `alcove`; empty for the program itself. */
  path: string
  words: string[]
}

/** Writes the completion script of a shell. */
export function writeCompletion(program: Command, shell: Shell): string {
  const commands = completedCommands(program, '')
  if (shell === 'fish') return fishScript(commands)
  return shell === 'zsh'
    ? `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`
    : bashScript(commands)
}

function completedCommands(command: Command, path: string): Completed[] {
  const below = command.commands.filter((child) => child.name() !== 'help')
  const names = [...below.map((child) => child.name()), ...(path === '' ? serverCommands : [])]
  const options = [...command.options, ...helpOptionOf(command)].flatMap(({ long }) => (long ? [long] : []))
  return [
    { path, words: [...names, ...options] },
    ...below.flatMap((child) => completedCommands(child, path === '' ? child.name() : `${path} ${child.name()}`)),
  ]
}

const helpOptionOf = (command: Command): readonly Option[] => command.createHelp().visibleOptions(command)

function bashScript(commands: readonly Completed[]): string {
  const cases = commands
    .filter(({ path }) => path !== '')
    .map(({ path, words }) => `    '${path}') words='${[...new Set(words)].join(' ')}' ;;`)
  const root = commands.find(({ path }) => path === '')
  return `_alcove() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    path="\${path:+$path }$word"
    case "$path" in import\\ * | topics\\ * | vex\\ *) break ;; import | topics | vex) ;; *) break ;; esac
  done
  case "$path" in
${cases.join('\n')}
    '') words='${[...new Set(root?.words)].join(' ')}' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ "\${#COMPREPLY[@]}" -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _alcove alcove
`
}

function fishScript(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ path, words }) => {
    const condition =
      path === ''
        ? '__fish_use_subcommand'
        : path
            .split(' ')
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join('; and ')
    return [...new Set(words)].map((word) =>
      word.startsWith('--')
        ? `complete -c alcove -n '${condition}' -l ${word.slice(2)}`
        : `complete -c alcove -n '${condition}' -f -a ${word}`,
    )
  })
  return `${lines.join('\n')}\n`
}
