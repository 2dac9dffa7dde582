// A chart of values per day, week or month: counts as bars, amounts as a line, or only one of both.
import { Chart } from 'primereact/chart';
import { useMemo } from 'react';
import { useColorScheme } from '@/theme/theme';

interface Series {
  label: string;
  values: readonly number[];
}

interface Props {
  label: string;
  xLabels: readonly string[];
  /** Amounts. They use the right axis, or the left axis if there are no bars. */
  lineSeries?: Series;
  /** Counts. They use the left axis. */
  barSeries?: Series;
}

export function PeriodChart(props: Props) {
  const colorScheme = useColorScheme();
  // PrimeReact's chart fails if its data changes while it loads. With this key, new data mounts a new chart.
  const key = `${colorScheme} ${props.xLabels.length} ${props.xLabels[0]} ${JSON.stringify([props.barSeries, props.lineSeries])}`;
  return (
    <div className="chart">
      {props.xLabels.length > 0 && <ChartView key={key} {...props} colorScheme={colorScheme} />}
    </div>
  );
}

function ChartView({ label, xLabels, lineSeries, barSeries, colorScheme }: Props & { colorScheme: string }) {
  const data = useMemo(
    () => ({
      labels: [...xLabels],
      datasets: [
        lineSeries && {
          type: 'line',
          label: lineSeries.label,
          data: [...lineSeries.values],
          yAxisID: barSeries ? 'money' : 'counts',
          borderColor: colorScheme === 'dark' ? '#86efac' : '#16a34a',
          pointRadius: 0,
          tension: 0.3,
        },
        barSeries && {
          type: 'bar',
          label: barSeries.label,
          data: [...barSeries.values],
          yAxisID: 'counts',
          backgroundColor: colorScheme === 'dark' ? '#7c6bd6' : '#c4b5fd',
          borderRadius: 3,
        },
      ].filter((series) => series !== undefined),
    }),
    [xLabels, lineSeries, barSeries, colorScheme],
  );
  const hasBothSeries = Boolean(lineSeries && barSeries);
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
        ...(hasBothSeries
          ? { money: { position: 'right', beginAtZero: true, ticks: { color: textColor }, grid: { display: false } } }
          : {}),
      },
    };
  }, [colorScheme, hasBothSeries]);
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
