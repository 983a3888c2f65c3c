import { Combobox } from '@base-ui/react/combobox'
import { Check, X } from 'lucide-react'
import { type FocusEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { texts } from '../texts.ts'
import { Field, type FieldProps } from './field.tsx'
import styles from './suggest.module.css'

interface SuggestProps<T> extends FieldProps {
  /** Suggestions for the text. */
  items: readonly T[]
  /** Returns a unique key. */
  keyOf: (item: T) => string
  /** Returns the name for the field and for screen readers. */
  nameOf: (item: T) => string
  /** Renders a suggestion. */
  children: (item: T) => ReactNode
  /** Message about the suggestions, such as that there are none; usually empty. */
  status: string
  text: string
  onText: (text: string) => void
  placeholder: string
  /** True: Enter selects the first suggestion. */
  takesFirst?: boolean
  /** True: the field gets the focus when it is mounted. */
  isFocused?: boolean
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void
}

/** Combobox for one item, with suggestions while the user types. */
export function SuggestField<T>({
  value,
  onChange,
  ...props
}: SuggestProps<T> & { value: T | undefined; onChange: (item: T | undefined) => void }) {
  const list = useList()
  return (
    <Combobox.Root
      {...rootOf(props)}
      {...list}
      value={value ?? null}
      onValueChange={(item: T | null, { reason }) => {
        if (reason !== 'escape-key') onChange(item ?? undefined)
      }}
    >
      <Around
        {...props}
        onLeave={() => list.onOpenChange(false)}
        frame={(input, ref) => (
          <div ref={ref} className={styles.group}>
            {input}
          </div>
        )}
      />
    </Combobox.Root>
  )
}

/** Combobox for several items, shown as chips before the text. */
export function SuggestManyField<T>({
  value,
  onChange,
  removalOf,
  ...props
}: SuggestProps<T> & {
  value: readonly T[]
  onChange: (items: T[]) => void
  /** Returns the label of the button that removes an item. */
  removalOf: (item: T) => string
}) {
  const { label, keyOf, nameOf, onText } = props
  const list = useList()
  return (
    <Combobox.Root
      {...rootOf(props)}
      {...list}
      multiple
      // Closing the list must not clear the typed text.
      onInputValueChange={(text, { reason }) => reason !== 'input-clear' && onText(text)}
      value={[...value]}
      onValueChange={(items: T[], { reason }) => {
        // Escape closes the suggestions; a second Escape must not clear the selection.
        if (reason === 'escape-key') return
        onChange(items)
        onText('')
      }}
    >
      <Around
        {...props}
        onLeave={() => list.onOpenChange(false)}
        frame={(input, ref) => (
          <Combobox.Chips
            ref={ref}
            className={styles.group}
            aria-label={value.length > 0 ? texts.selected(label) : undefined}
          >
            {value.map((item) => (
              <Combobox.Chip key={keyOf(item)} className={styles.chip} aria-label={nameOf(item)}>
                {nameOf(item)}
                <Combobox.ChipRemove className={styles.remove} aria-label={removalOf(item)}>
                  <X size={13} aria-hidden="true" />
                </Combobox.ChipRemove>
              </Combobox.Chip>
            ))}
            {input}
          </Combobox.Chips>
        )}
      />
    </Combobox.Root>
  )
}

/** Returns the props that both fields pass to Base UI. The server filters, so Base UI must not. */
function rootOf<T>({ items, keyOf, nameOf, text, onText, takesFirst = false }: SuggestProps<T>) {
  return {
    items,
    filter: null,
    autoHighlight: takesFirst,
    itemToStringLabel: nameOf,
    isItemEqualToValue: (one: T, other: T) => keyOf(one) === keyOf(other),
    inputValue: text,
    onInputValueChange: onText,
  }
}

/** State of the list. Base UI unmounts only its own popup by itself, so this unmounts the list when it closes. */
function useList() {
  const [open, onOpenChange] = useState(false)
  const actionsRef = useRef<Combobox.Root.Actions | null>(null)
  useEffect(() => {
    if (!open) actionsRef.current?.unmount()
  }, [open])
  return { open, onOpenChange, actionsRef }
}

/**
 * The field with its list. Base UI's popup would hide the rest of the page, including the label and the selected
 * items, from
 * screen readers. The list is rendered inside the field, so it belongs to the same page or dialog, and closes when the
 * focus leaves the field.
 */
function Around<T>({
  label,
  name,
  hint,
  error,
  isLabelHidden = false,
  keyOf,
  children: show,
  status,
  placeholder,
  isFocused = false,
  onKeyDown,
  onLeave,
  frame,
}: SuggestProps<T> & {
  onLeave: () => void
  /** Wraps the input; the list has the width of the wrapper. */
  frame: (input: ReactNode, ref: RefObject<HTMLDivElement | null>) => ReactNode
}) {
  const place = useRef<HTMLDivElement>(null)
  const anchor = useRef<HTMLDivElement>(null)
  function leave({ currentTarget, relatedTarget }: FocusEvent) {
    if (!currentTarget.contains(relatedTarget)) onLeave()
  }
  return (
    <Field label={label} name={name} hint={hint} isLabelHidden={isLabelHidden} error={error}>
      {(ids) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: it observes the focus of the elements inside it
        <div ref={place} onBlur={leave}>
          {frame(
            <Combobox.Input
              {...ids}
              className={styles.input}
              placeholder={placeholder}
              autoFocus={isFocused}
              {...(onKeyDown && { onKeyDown })}
            />,
            anchor,
          )}
          <Combobox.Portal container={place}>
            <Combobox.Positioner
              className={`popup-positioner ${styles.positioner}`}
              anchor={anchor}
              sideOffset={4}
              positionMethod="fixed" // otherwise a dialog would clip it
            >
              {/* biome-ignore lint/a11y/noStaticElementInteractions: it keeps the focus in the field */}
              <div className={`popup ${styles.popup}`} onMouseDown={(event) => event.preventDefault()}>
                <Combobox.Status className={styles.status}>{status}</Combobox.Status>
                <Combobox.List aria-label={label}>
                  {(item: T) => (
                    <Combobox.Item key={keyOf(item)} value={item} className={`menu-item ${styles.item}`}>
                      {show(item)}
                      <Combobox.ItemIndicator>
                        <Check size={14} aria-hidden="true" />
                      </Combobox.ItemIndicator>
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </div>
            </Combobox.Positioner>
          </Combobox.Portal>
        </div>
      )}
    </Field>
  )
}
