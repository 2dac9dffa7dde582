// A chart over a period: counts as bars, amounts as a line, or only one of them.
import { Chart } from 'primereact/chart';
import { useMemo } from 'react';
import { useColorScheme } from '@/theme/theme';

interface Series {
  label: string;
  values: readonly number[];
}

interface Props {
  label: string;
  dates: readonly string[];
  /** Amounts, on the right axis; without bars on the left axis. */
  line?: Series;
  /** Counts, on the left axis. */
  bars?: Series;
}

export function PeriodChart(props: Props) {
  const colorScheme = useColorScheme();
  // PrimeReact's chart fails if its data changes while it loads. With this key, new data mounts a new chart.
  const key = `${colorScheme} ${props.dates.length} ${props.dates[0]} ${JSON.stringify([props.bars, props.line])}`;
  return (
    <div className="chart">
      {props.dates.length > 0 && <ChartView key={key} {...props} colorScheme={colorScheme} />}
    </div>
  );
}

function ChartView({ label, dates, line, bars, colorScheme }: Props & { colorScheme: string }) {
  const data = useMemo(
    () => ({
      labels: [...dates],
      datasets: [
        line && {
          type: 'line',
          label: line.label,
          data: [...line.values],
          yAxisID: bars ? 'money' : 'counts',
          borderColor: colorScheme === 'dark' ? '#86efac' : '#16a34a',
          pointRadius: 0,
          tension: 0.3,
        },
        bars && {
          type: 'bar',
          label: bars.label,
          data: [...bars.values],
          yAxisID: 'counts',
          backgroundColor: colorScheme === 'dark' ? '#7c6bd6' : '#c4b5fd',
          borderRadius: 3,
        },
      ].filter((series) => series !== undefined),
    }),
    [dates, line, bars, colorScheme],
  );
  const hasBoth = Boolean(line && bars);
  const options = useMemo(() => {
    const textColor = colorScheme === 'dark' ? '#cbd5e1' : '#475569';
    const gridColor = colorScheme === 'dark' ? 'rgb(255 255 255 / .08)' : 'rgb(0 0 0 / .06)';
    return {
      maintainAspectRatio: false,
      animation: false,
      interaction: { mode: 'index', intersect: false },
      plugins: { legend: { labels: { color: textColor, boxWidth: 12 } } },
      scales: {
        x: { ticks: { color: textColor, maxRotation: 0, autoSkipPadding: 16 }, grid: { display: false } },
        counts: {
          position: 'left',
          beginAtZero: true,
          ticks: { color: textColor, precision: 0 },
          grid: { color: gridColor },
        },
        ...(hasBoth
          ? { money: { position: 'right', beginAtZero: true, ticks: { color: textColor }, grid: { display: false } } }
          : {}),
      },
    };
  }, [colorScheme, hasBoth]);
  return (
    <Chart
      type="bar"
      className="chart"
      data={data}
      options={options}
      pt={{ canvas: { role: 'img', 'aria-label': label } }}
    />
  );
}
