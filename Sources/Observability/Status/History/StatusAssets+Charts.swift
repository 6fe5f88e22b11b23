extension StatusAssets {
    /// The style of the charts. Colours also differ in lightness, and lines of one plot in their dashes, so that
    /// readers with colour-vision deficiency can tell them apart.
    static let charts = """
        :root { --sent: #1668b8; --retried: #b36b00; --refused: #9b1208; --tint: 0.14; }
        @media (prefers-color-scheme: dark) { :root { --sent: #6db3f7; --retried: #f0b95a;
          --refused: #ff7b6b; --tint: 0.2; } }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr));
          gap: 1.2rem 2.4rem; }
        figure { margin: 0; min-width: 0; max-width: 34rem; }
        figcaption { padding-bottom: 0.35rem; margin-bottom: 0.3rem; border-bottom: 1px solid var(--line);
          color: var(--soft); }
        figcaption b { color: var(--ink); font-weight: 650; }
        figure svg { display: block; width: 100%; height: auto; font-size: 11.5px; }
        svg text { fill: var(--soft); }
        svg .key { fill: var(--ink); font-size: 12.5px; }
        svg .peak { fill: var(--soft); font-size: 11.5px; }
        svg .latest { text-anchor: end; font-weight: 650; }
        svg .middle { text-anchor: middle; }
        svg .end { text-anchor: end; }
        svg .scale { font-size: 10.5px; stroke: var(--ground); stroke-width: 3px; paint-order: stroke; }
        .charts + .note { margin-top: 0.8rem; max-width: 62rem; }
        .base, .tick { fill: none; stroke: var(--line); stroke-width: 1; }
        .line { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; stroke: var(--sent); }
        .line.retried { stroke: var(--retried); }
        .line.refused { stroke: var(--refused); }
        .line.most { stroke: var(--retried); stroke-dasharray: 5 3.5; }
        .area { stroke: none; fill: var(--sent); fill-opacity: var(--tint); }
        .area.retried { fill: var(--retried); }
        .area.refused { fill: var(--refused); }
        .early { fill: var(--band); }
        .slots { fill: transparent; }
        .slots path:hover { fill: var(--ink); fill-opacity: 0.1; }
        @media (min-width: 60rem) { .charts { grid-template-columns: repeat(3, minmax(0, 1fr)); }
          .pushes { grid-column: 1; } .answers { grid-column: 2; }
          .waiting:not(:first-child) { grid-column: 3; grid-row: 1; } }

        """
}
