import type { LucideIcon } from 'lucide-react'

/** Action in a menu. */
export interface MenuItem {
  label: string
  icon?: LucideIcon
  isDangerous?: boolean
  onChoose: () => void
}
