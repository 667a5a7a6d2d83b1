/** Texts that a model might write, each with some construct that is awkward while it is still arriving. */
export const SAMPLES: Record<string, string> = {
  prose:
    'One *short* answer, with **bold words** and `code`, and a [link](https://example.org/a_(b) "t").\n\nTwo.',
  headings: "# One\n\n## Two ##\ntext\n### Three\n\nSetext\n======\nmore\n\nAlso\n---\nend",
  tight: "Steps:\n- first\n- second **bold**\n  continued\n- third\n\nAfter.",
  loose: "1. first\n\n2. second\n\n   its paragraph\n3. third\n\n\nAfter",
  nested: "- a\n  - b\n    1. c\n    2. d\n  - e\n- f\n\n* other list\n+ third list\n",
  late: "- a\n- b\n- c\n\n- d makes it loose\n- e",
  tasks: "- [ ] open\n- [x] done\n- [not a task]\n",
  ordered: "7. seven\n8. eight\n9) other\n10) ten",
  fence: "Code:\n```python\nprint('a')\n\nx = a * b ** c\n```\nAfter `x`.\n~~~\n```\n~~~\n",
  openFence: "```js\nconst a = 1;\n\n``` not closed\nconst b = `x`;",
  deepFence: '- item\n  ```json\n  {"a": [1, 2]}\n  ```\n- next\n',
  indented: "para\n\n    indented code\n\n    more\n\npara",
  table:
    "Chains:\n\n| Chain | Id |\n|:------|---:|\n| Base | 8453 |\n| **NEAR** | `x|y` |\n| a \\| b | 1<br>2 |\n\nEnd.",
  tableAfterText: "text\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\nnot a row\n",
  bareTable: "a | b\n--|--\n1 | 2\n| 3 | 4\n",
  notTable: "| just | pipes |\nand text\n",
  quote: "> quoted *text*\n> more\n>\n> - a\n> - b\n\nAfter\n> lazy\ncontinued",
  rules: "a\n\n---\n\nb\n***\nc\n\n- - -\n* * *\n",
  words: "snake_case_word and 2*3*4 and __init__ and 5 * 3 and *a* **b** ***c*** ~~d~~ ~e~ a**b",
  escapes: "\\*not em\\* \\` \\[x\\] &copy; &amp;lt; &#35; &#x1F600; &nosuch; AT&T a\\",
  unclosed: "**never closed and *this\n\n`nor this\n\n[nor](this",
  brackets: "[1, 2, 3] and [a][b] and [x] y ![alt](https://example.org/p.png) ![no](javascript:x) ![x",
  html: "<b>bold</b> <script>alert(1)</script>\n\n<div onclick=x>\nhello\n</div>\n\n<!-- c -->\na<br/>b",
  references:
    "See [the docs] and [other][d].\n\n[the docs]: https://example.org/docs\n[d]: <https://example.org/d> 'T'\n",
  urls: "www.example.org https://example.org/a?b=c&d=e, <https://x.example> me@example.org javascript:alert(1)",
  breaks: "one  \ntwo\\\nthree\r\nfour\rfive\n\n\n\nsix",
  unicode: "日本語 **太字** 👩‍👩‍👧 é ñ 🇧🇷 العربية `🙂`",
  blank: "\n\n   \ntext\n\n",
  math: "Euler: $e^{i\\pi} + 1 = 0$ and \\(a_1 * b_2\\), **$x$**.\n\n$$\n\\frac{a}{b}\n- c\n$$\n\nor \\[ x < y \\] end",
  mathBlocks: "Text\n$$ a = b $$\nmore\n\n\\[\nx\n+ y\n\\]\n\n- item\n  $$\n  z\n  $$\n- next $y$\n",
  money:
    "From $5 to $10, US$7, $20 or 30$, $HOME/$PATH, a $ b $ c, `$x$`, \\$5 and $6$.\n\n$$\n\n$$ unclosed\nline\n\nend $x",
  footnotes: "A claim[^1] and another[^note].\n\n[^1]: The source.\n[^note]: More *words*.\n",
  bidi: "Pay \u202eevil\u202c and שלום **עולם** [قال](https://a.example) `\u2066x\u2069` \u200b.\n\n| א | ب |\n|--|--|\n| 1 | **٢** |\n",
  nestedFences:
    "1. run\n\n   ```sh\n   ls $HOME\n   ```\n\n2. then\n   - a\n     ```\n     x\n     ```\n\n> ```py\n> q = 1\n> ```\n",
  links:
    "<https://a.example/x> [t](<https://b.example/a b> 'T') [r][] ![p](https://c.example/p.png) https://d.example/(x)_y. [u](https://e.example/?a=1&b=2#c)\n\n[r]: https://f.example\n",
};
