/** The part of the global that the zstd decoder needs; the types of Node 20 leave it out. */
declare namespace WebAssembly {
  const Module: new (bytes: Uint8Array) => object
  const Instance: new (module: object, imports: { readonly [module: string]: { readonly [name: string]: () => void } }) => { readonly exports: unknown }
}
