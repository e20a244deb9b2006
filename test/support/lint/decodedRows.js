/** Bans `sql<Row>` and the like: nothing checks a type that is only claimed for a row. `rows(schema)` decodes it. */
const decodedRows = {
  create(context) {
    const report = (node) =>
      context.report({
        node,
        message:
          "Decode rows with `rows`, `row` or `onlyRow` of engine/store/sql/rows.ts; nothing checks a claimed type."
      })
    return {
      TaggedTemplateExpression(node) {
        if (node.typeArguments != null) report(node)
      },
      CallExpression(node) {
        if (node.typeArguments != null && node.callee.property?.name === "unsafe") report(node)
      }
    }
  }
}

export default { meta: { name: "store" }, rules: { "decoded-rows": decodedRows } }
