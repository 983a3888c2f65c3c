import styles from './avatar.module.css'

/**
 * Image, or the first letter of the name on a colour derived from the name. Hidden from screen readers: the name is
 * beside it.
 */
export function Avatar({
  name,
  url,
  size = 'normal',
}: {
  name: string
  url?: string | null
  size?: 'small' | 'normal' | 'large'
}) {
  const look = `${styles.avatar} ${size === 'normal' ? '' : styles[size]}`
  if (url) return <img className={look} src={url} alt="" loading="lazy" />
  const letter = [...name].find((character) => /[\p{L}\p{N}]/u.test(character)) ?? '·'
  return (
    <span className={`${look} ${styles[`colour${colourOf(name)}`]}`} aria-hidden="true">
      {letter.toUpperCase()}
    </span>
  )
}

const colours = 6

function colourOf(name: string): number {
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973
  return sum % colours
}
