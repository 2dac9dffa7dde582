// A chart over time: counts as bars, amounts as a line, or only one of them.
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
  /** Amounts, on the right axis, or on the left one without bars. */
  line?: Series;
  /** Counts, on the left axis. */
  bars?: Series;
}

export function PeriodChart(props: Props) {
  const shade = useColorScheme();
  // PrimeReact's chart fails when its data changes while it loads, so that new data remounts it.
  const key = `${shade} ${props.dates.length} ${props.dates[0]} ${JSON.stringify([props.bars, props.line])}`;
  return <div className="chart">{props.dates.length > 0 && <ChartView key={key} {...props} shade={shade} />}</div>;
}

function ChartView({ label, dates, line, bars, shade }: Props & { shade: string }) {
  const data = useMemo(
    () => ({
      labels: [...dates],
      datasets: [
        line && {
          type: 'line',
          label: line.label,
          data: [...line.values],
          yAxisID: bars ? 'money' : 'counts',
          borderColor: shade === 'dark' ? '#86efac' : '#16a34a',
          pointRadius: 0,
          tension: 0.3,
        },
        bars && {
          type: 'bar',
          label: bars.label,
          data: [...bars.values],
          yAxisID: 'counts',
          backgroundColor: shade === 'dark' ? '#7c6bd6' : '#c4b5fd',
          borderRadius: 3,
        },
      ].filter((series) => series !== undefined),
    }),
    [dates, line, bars, shade],
  );
  const hasBoth = Boolean(line && bars);
  const options = useMemo(() => {
    const ink = shade === 'dark' ? '#cbd5e1' : '#475569';
    const grid = shade === 'dark' ? 'rgb(255 255 255 / .08)' : 'rgb(0 0 0 / .06)';
    return {
      maintainAspectRatio: false,
      animation: false,
      interaction: { mode: 'index', intersect: false },
      plugins: { legend: { labels: { color: ink, boxWidth: 12 } } },
      scales: {
        x: { ticks: { color: ink, maxRotation: 0, autoSkipPadding: 16 }, grid: { display: false } },
        counts: { position: 'left', beginAtZero: true, ticks: { color: ink, precision: 0 }, grid: { color: grid } },
        ...(hasBoth
          ? { money: { position: 'right', beginAtZero: true, ticks: { color: ink }, grid: { display: false } } }
          : {}),
      },
    };
  }, [shade, hasBoth]);
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
