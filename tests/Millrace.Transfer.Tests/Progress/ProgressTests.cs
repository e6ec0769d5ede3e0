namespace Millrace.Transfer.Tests.Progress;

public sealed class ProgressTests
{
    [Fact]
    public void A_meter_reports_the_first_and_the_last_and_ten_a_second_between()
    {
        var clock = new ManualClock();
        var reports = new Reports();
        var meter = new ProgressMeter(reports, clock) { Total = 1000 };
        for (int i = 0; i <= 1000; i++)
        {
            meter.Report(i);
            clock.Advance(TimeSpan.FromMilliseconds(1));
        }

        meter.Report(1000, last: true);

        Assert.Equal(0, reports.All.First().Transferred);
        Assert.Equal(1000, reports.All.Last().Transferred);
        Assert.InRange(reports.All.Count, 10, 13);
    }

    [Fact]
    public void Rate_is_measured_over_the_last_seconds()
    {
        var window = new RateWindow();
        double rate = 0;
        for (int i = 0; i <= 100; i++)
        {
            rate = window.Add(TimeSpan.FromSeconds(i * 0.1), i * 1000L);
        }

        Assert.Equal(10_000, rate, 1.0);
        for (int i = 101; i <= 200; i++)
        {
            rate = window.Add(TimeSpan.FromSeconds(i * 0.1), 100_000);
        }

        Assert.Equal(0, rate);
    }

    [Fact]
    public async Task An_upload_ends_with_all_of_it()
    {
        await using TestServer server = await TestServer.StartAsync();
        using TransferClient client = server.Connect();
        var reports = new Reports();

        await client.PutAsync(new MemoryStream(new byte[1_000_000]), Clients.Name("x"), default, reports);

        Assert.Equal(0, reports.All.First().Transferred);
        Assert.Equal(1_000_000, reports.All.Last().Transferred);
        Assert.Equal(1_000_000, reports.All.Last().Total);
    }
}
