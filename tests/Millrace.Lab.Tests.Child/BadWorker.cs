using System.Diagnostics;

namespace Millrace.Lab.Tests.Child;

internal static class BadWorker
{
    public static int Die()
    {
        Console.ReadLine();
        Console.WriteLine("""{"Phase":"dying"}""");
        Console.ReadLine();
        Console.Error.WriteLine("the last words");
        Process.GetCurrentProcess().Kill();
        return 0;
    }

    public static int Babble()
    {
        Console.ReadLine();
        Console.WriteLine("hello");
        Console.ReadLine();
        return 0;
    }
}
